// What a host of view models needs, under one import. The whole of the modules it writes against, and of the others
// the few types that a server is put together from, so that a host's own names stay free.
//
// `@_exported` is underscored, and the only way there is to give several modules one name.

@_exported import Binding
@_exported import ViewModels

@_exported import struct HTTP.ExchangeEntry
@_exported import protocol HTTP.ExchangeLog
@_exported import struct HTTP.ServerLimits
@_exported import enum HTTP.StartError
@_exported import class Service.AccessLog
@_exported import class Service.BinderyServer
@_exported import enum Service.LogFormat
@_exported import struct Service.ServiceOptions
@_exported import struct Service.StartedServer
@_exported import class Sessions.MemoryStore
@_exported import struct Sessions.SessionLimits
@_exported import protocol Sessions.SessionStore
@_exported import struct Sessions.SystemTimeline
@_exported import protocol Sessions.Timeline
