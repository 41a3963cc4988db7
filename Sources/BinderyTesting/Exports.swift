// One import for a host's tests: the contract suite, the client, the server, the clock and the faults.
//
// `@_exported` is not official, but Swift has no other way to export other modules.

@_exported import BinderyClient
@_exported import ViewModelContract
