// One import for the tests of a host: the contract suite, the client, the server, the clock and the faults.
//
// `@_exported` is not official, but Swift has no other way to give several modules one name.

@_exported import BinderyClient
@_exported import ViewModelContract
