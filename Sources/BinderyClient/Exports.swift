// An app imports this module alone. `@_exported` is underscored, and the only way to give several modules one name.
@_exported import Binding

@_exported import enum ViewModels.JSONValue
@_exported import struct ViewModels.Language
