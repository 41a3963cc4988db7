// One import for the tests of a host: the contract suite, the client, the server, the clock and the faults.
//
// `@_exported` is underscored, and the only way to give several modules one name.

@_exported import BinderyClient
@_exported import ViewModelContract
