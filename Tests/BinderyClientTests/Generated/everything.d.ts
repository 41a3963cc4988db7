// The view models of everything, for /bindery.js.
// Written by `everything client typescript`: whoever changes it loses that when it is written again.

/** The view models, by name. */
export interface ViewModels {
    /** Values of every shape. */
    "every-shape": ViewModel<EveryShapeOutputs, EveryShapeActions>
    /** Counts up and down, never below zero. */
    counter: ViewModel<CounterOutputs, CounterActions>
    /** Two parameters, of which a card shows one. */
    profile: ViewModel<ProfileOutputs, ProfileActions>
    /** Says what is missing of an ID and a password. */
    login: ViewModel<LoginOutputs, LoginActions>
    lamp: ViewModel<LampOutputs, LampActions>
}

/** What every-shape shows. */
export interface EveryShapeOutputs {
    /** All of them, in one object. */
    readonly all: { text: string; flag: boolean; whole: number; byte: number; large: number; widest: number; real: number; short: number; money: number; moment: number; name: string; page: string; bytes: string; size: "small" | "L" | "init" | "2"; level: -7 | 1000; payload: { text: { _0: string } } | { pair: { x: number; _1?: number } } | { nothing: Record<string, never> }; payloads: ({ text: { _0: string } } | { pair: { x: number; _1?: number } } | { nothing: Record<string, never> })[]; tree: Tree; formula: Formula; node: Node; inner?: { title?: string; self: number; "in-doors": boolean }; inners: { title?: string; self: number; "in-doors": boolean }[]; optional: (number | null)[]; named: Record<string, number>; numbered: Record<string, { title?: string; self: number; "in-doors": boolean }>; span: [number, number] }
    readonly payload: { text: { _0: string } } | { pair: { x: number; _1?: number } } | { nothing: Record<string, never> }
    /** One of a few. */
    readonly size: "small" | "L" | "init" | "2"
    readonly in: { title?: string; self: number; "in-doors": boolean } | null
    readonly "moment-of-it": number
    readonly free: unknown
}

/** What every-shape is asked for. */
export interface EveryShapeActions {
    /** Takes all of them. */
    set(input: { text: string; flag: boolean; whole: number; byte: number; large: number; widest: number; real: number; short: number; money: number; moment: number; name: string; page: string; bytes: string; size: "small" | "L" | "init" | "2"; level: -7 | 1000; payload: { text: { _0: string } } | { pair: { x: number; _1?: number | null } } | { nothing: Record<string, never> }; payloads: ({ text: { _0: string } } | { pair: { x: number; _1?: number | null } } | { nothing: Record<string, never> })[]; tree: Tree; formula: Formula; node: Node; inner?: { title?: string | null; self: number; "in-doors": boolean } | null; inners: ({ title?: string | null; self: number; "in-doors": boolean })[]; optional: (number | null)[]; named: Record<string, number>; numbered: Record<string, { title?: string | null; self: number; "in-doors": boolean }>; span: [number, number] }): Promise<EveryShapeOutputs>
    /** Begins anew. */
    init(): Promise<EveryShapeOutputs>
    size(input: "small" | "L" | "init" | "2"): Promise<EveryShapeOutputs>
}

/** What counter shows. */
export interface CounterOutputs {
    /** The count in decimal digits. */
    readonly text: string
    /** Whether the down button can be pressed. */
    readonly enabled: boolean
    /** The opacity of the down button, 0.5 when it is disabled. */
    readonly alpha: number
}

/** What counter is asked for. */
export interface CounterActions {
    /** Adds one. */
    increment(): Promise<CounterOutputs>
    /** Takes one away. */
    decrement(): Promise<CounterOutputs>
}

/** What profile shows. */
export interface ProfileOutputs {
    /** The first parameter. */
    readonly paramA: number
    /** The second parameter. */
    readonly paramB: string
}

/** What profile is asked for. */
export interface ProfileActions {
    /** Sets what is given and leaves the rest. */
    load(input: { paramA?: number | null; paramB?: string | null }): Promise<ProfileOutputs>
}

/** What login shows. */
export interface LoginOutputs {
    /** What to tell the user, in the session's language. */
    readonly text: string
    /** The colour of the text; null before the first validation. */
    readonly color: "green" | "red" | null
}

/** What login is asked for. */
export interface LoginActions {
    /** Checks an ID and a password; neither is kept. */
    validate(input: { id?: string | null; password?: string | null }): Promise<LoginOutputs>
}

/** What lamp shows. */
export interface LampOutputs {
    readonly lamp: "on" | "off"
}

/** What lamp is asked for. */
export interface LampActions {
    turn(input: "on" | "off"): Promise<LampOutputs>
}

export type Tree = { label: string; children?: Tree[] }

export type Formula = { sum: { _0: Formula; _1: Formula } } | { number: { _0: number } }

export type Node = { number: number; next?: Node }

/** Names that every view model has: what is declared under one is reached by `output` and `action`. */
type Own = "observe" | "output" | "action" | "then"

/** A view model of the session: outputs as properties, actions as functions. */
export type ViewModel<Outputs, Actions> = Omit<Outputs, Own> & Omit<Actions, Own | keyof Outputs> & {
    /** Calls with what is shown, now and after each change, until the function that it returns is called. */
    observe(body: (outputs: Outputs) => void): () => void
    output<Name extends keyof Outputs>(name: Name): Outputs[Name]
    action<Name extends keyof Actions>(
        name: Name, ...input: Actions[Name] extends (...input: infer Input) => unknown ? Input : never
    ): Promise<Outputs>
}

/** How it stands with the connection. */
export type Connection = "live" | "waiting" | "offline" | "ended"

/** What an action rejects with (RFC 9457). */
export interface Problem extends Error {
    /** Undefined, as all else, where no answer came. */
    status?: number
    type?: string
    title?: string
    detail?: string
    instance?: string
    pointer?: string
    state?: unknown
}

export interface Session {
    viewModel<Name extends keyof ViewModels>(name: Name): ViewModels[Name]
    on(path: "connection", body: (connection: Connection | undefined) => void): () => void
    /** An output, as `counter.text`, or all of a view model's, as `counter`. */
    on(path: string, body: (value: any) => void): () => void
    status(): { id: string; cursor: string; connection?: Connection }
    close(): void
}

export interface Options {
    url?: string
    token?: string
    public?: boolean
    /** Whether tabs share one line. */
    tabs?: boolean
}

/** The session of the page's cookie, or a new one; the public one, or that of a token. */
export function connect(options?: Options): Promise<Session>
