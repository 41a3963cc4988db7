// One import for a host of view models: all of Binding and ViewModels, and the types of a server. The other names stay free
// for the host.
//
// `@_exported` is not official Swift, but only it gives several modules one name.

@_exported import Binding
@_exported import ViewModels

@_exported import struct Events.Event
@_exported import protocol Events.EventLog
@_exported import struct Events.SessionTag
@_exported import struct HTTP.ExchangeEntry
@_exported import protocol HTTP.ExchangeLog
@_exported import struct HTTP.IPAddress
@_exported import struct HTTP.IPNetwork
@_exported import struct HTTP.ServerLimits
@_exported import struct HTTP.StartError
@_exported import struct Service.AllowedHosts
@_exported import class Service.BinderyServer
@_exported import class Service.HostSession
@_exported import struct Service.Languages
@_exported import enum Service.LogFormat
@_exported import class Service.LogWriter
@_exported import struct Service.ServiceOptions
@_exported import struct Service.SessionLimits
@_exported import struct Service.SessionUnavailable
@_exported import struct Service.StaticFilesError
@_exported import enum Service.Version
@_exported import struct Service.WebOrigin
