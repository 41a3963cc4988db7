// One import for whoever tests a host: the contract suite, the client, the server and the clock that the test moves.
//
// `@_exported` is underscored, and the only way there is to give several modules one name.

@_exported import BinderyClient
@_exported import ViewModelContract

@_exported import struct StandIns.ManualClock
@_exported import class StandIns.ManualTimeline
@_exported import struct StandIns.NothingCame
