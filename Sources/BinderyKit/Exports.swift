// What a host of view models needs, under one import: the whole of the modules it writes against, and of the others the
// types that a server is put together from and a store is written with, so that a host's own names stay free.
//
// `@_exported` is underscored, and the only way there is to give several modules one name.

@_exported import Binding
@_exported import PostgresStore
@_exported import SQLiteStore
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
@_exported import struct HTTP.TrustedProxies
@_exported import struct Service.AllowedHosts
@_exported import class Service.BinderyServer
@_exported import enum Service.LogFormat
@_exported import class Service.LogWriter
@_exported import struct Service.ProblemText
@_exported import struct Service.ProblemWording
@_exported import struct Service.ServiceOptions
@_exported import struct Service.StartedServer
@_exported import struct Service.StaticFilesError
@_exported import enum Service.Version
@_exported import struct Service.WebOrigin
@_exported import class Sessions.Commit
@_exported import struct Sessions.CommitVersion
@_exported import struct Sessions.Cursor
@_exported import struct Sessions.Epoch
@_exported import struct Sessions.InitialDigests
@_exported import struct Sessions.KeyDigest
@_exported import enum Sessions.LoadedSession
@_exported import class Sessions.MemoryStore
@_exported import struct Sessions.ModelCheck
@_exported import struct Sessions.OutputRecord
@_exported import struct Sessions.RememberedOutcome
@_exported import struct Sessions.SessionHead
@_exported import struct Sessions.SessionHistory
@_exported import struct Sessions.SessionID
@_exported import struct Sessions.SessionLimits
@_exported import struct Sessions.SessionRecord
@_exported import protocol Sessions.SessionStore
@_exported import struct Sessions.SessionSummary
@_exported import struct Sessions.StoreCheck
@_exported import enum Sessions.StoreFailure
@_exported import class Sessions.StoreHandle
@_exported import enum Sessions.StorePurpose
@_exported import struct Sessions.SystemTimeline
@_exported import struct Sessions.ThreadUse
@_exported import struct Sessions.TimeOfDay
@_exported import protocol Sessions.Timeline
@_exported import struct Sessions.ViewModelRecord
