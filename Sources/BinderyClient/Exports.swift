// An app imports this module alone. `@_exported` is not official Swift, but only it gives several modules one name.
@_exported import Binding

@_exported import enum ViewModels.JSONValue
@_exported import struct ViewModels.Language
