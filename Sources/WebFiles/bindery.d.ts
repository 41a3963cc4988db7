// For any server; `bindery client typescript` writes the same for the view models of one.

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

/** What a view model shows is a property, and what it does a function, by their names; these are beside them. */
export interface ViewModel {
	[name: string]: any
	/** Calls back now, and whenever an output has changed. Ends by what it returns. */
	observe(body: (outputs: Readonly<Record<string, any>>) => void): () => void
	/** An output by its name, also one that is called as a member of this object is. */
	output(name: string): any
	/** The same of an action. Resolves to the new state; rejects with a {@link Problem}. */
	action(name: string, input?: unknown): Promise<Record<string, any>>
}

export interface Session {
	viewModel(name: string): ViewModel
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
