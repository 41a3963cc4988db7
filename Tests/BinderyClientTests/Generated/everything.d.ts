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

/**
 * How the line is: `live`, or `waiting` for the server, or `offline`, or `ended` where the session is gone: a session of the
 * page's cookie is begun anew then, and that of a token stays ended.
 */
export type Connection = "live" | "waiting" | "offline" | "ended"

/**
 * What an action rejects with: the server's problem (RFC 9457). Without a `type` nobody knows whether it was done: what kept it
 * from being answered for 30 s is the `cause`.
 */
export interface Problem extends Error {
    status?: number
    /** Such as `/problems/action-disabled`. */
    type?: string
    title?: string
    detail?: string
    /** The member of the body that it is about. */
    pointer?: string
    /** What the view model shows, where the action was refused. */
    state?: object
    instance?: string
}

export interface Options {
    /** Where the server is, without a slash at the end; the page's own origin where nothing is said. */
    url?: string
    /** A session's token; without it, the session is that of the page's cookie, or one that is begun. */
    token?: string
    /** The session that is shared by all who bring no token. */
    public?: boolean
    /**
     * False where this tab is to have a line of its own. Else all tabs share one, since browsers open six connections to a host;
     * how they do is the module's at this address, from here `./bindery-tabs.js`.
     */
    tabs?: string | false
}

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

export interface Session {
    viewModel<Name extends keyof ViewModels>(name: Name): ViewModels[Name]
    /** Calls back now, and whenever the line is another. Ends by what it returns. */
    on(path: "connection", body: (connection: Connection | undefined) => void): () => void
    /** The same of an output, `counter.text`, or of all of a view model's, `counter`. What it throws stops nobody else. */
    on(path: string, body: (value: any) => void): () => void
    /** The session's public name, what is shown as a cursor, and how the line is. */
    status(): { id: string; cursor: string; connection?: Connection }
    /** Ends the line; nobody is called back any more, and who observes from then on once, with what was last shown. The session stays. */
    close(): void
}

/**
 * The session of the page's cookie, or one that is begun; the public one; or that of a token.
 *
 * An action is sent with a key and repeated for 30 s where the line is lost, so that it happens once.
 */
export function connect(options?: Options): Promise<Session>

/** Takes the bytes of an event stream, which may be cut anywhere. */
export function parseEvents(
    take: (event: { event?: string; id?: string; data: string }) => void,
): (bytes: Uint8Array) => void
