// One import for an app that asks a server: the client, variables and observers, and what declares a view model to it.
//
// `@_exported` is underscored, and the only way there is to give several modules one name.

@_exported import Binding

@_exported import struct ViewModels.Language
@_exported import struct ViewModels.Presentation
@_exported import protocol ViewModels.Presented
@_exported import struct ViewModels.ShownOutput
