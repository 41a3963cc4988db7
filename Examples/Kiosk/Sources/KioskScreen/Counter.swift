// The view models of bindery, for BinderyClient.
// Written by `bindery client swift`: whoever changes it loses that when it is written again.
// swift-format-ignore-file

import BinderyClient
import Foundation

/// Counts up and down, never below zero.
public struct Counter: Presented {
    /// The count in decimal digits.
    public let text: String
    /// Whether the down button can be pressed.
    public let enabled: Bool
    /// The opacity of the down button, 0.5 when it is disabled.
    public let alpha: Double
    public static let presentation = Presentation<Counter>(
        "counter",
        ShownOutput("text", \.text),
        ShownOutput("enabled", \.enabled),
        ShownOutput("alpha", \.alpha))
}

extension RemoteActing where Owner == Counter {
    /// Adds one.
    @discardableResult
    public func increment(ifMatch cursor: RemoteCursor? = nil, key: String? = nil) async throws -> RemoteState<Counter> {
        try await act("increment", ifMatch: cursor, key: key)
    }

    /// Takes one away.
    @discardableResult
    public func decrement(ifMatch cursor: RemoteCursor? = nil, key: String? = nil) async throws -> RemoteState<Counter> {
        try await act("decrement", ifMatch: cursor, key: key)
    }
}
