// For any server; `bindery client typescript` writes the same for the view models of one.

/**
 * The state of the connection. `waiting`: the server does not answer, or the tab is hidden. `ended`: the session ended; in place
 * of a session of the page's cookie, another begins. Or the named entity ended: the client goes on asking.
 */
export type Connection = "live" | "waiting" | "offline" | "ended"

/**
 * An action rejects with the server's problem (RFC 9457). Without a `type`, the action may be done or not: `cause` is the
 * last failure of 30 s.
 */
export interface Problem extends Error {
	status?: number
	/** Such as `/problems/action-disabled`. */
	type?: string
	title?: string
	detail?: string
	/** The member of the body that was refused. */
	pointer?: string
	/** The view model's state, where the action was refused. */
	state?: object
	instance?: string
}

export interface Options {
	/** The server's origin, without a slash at the end; by default the page's own. */
	url?: string
	/** A session's token. Without one, the session is that of the page's cookie. */
	token?: string
	/** The session that all clients without a token share. */
	public?: boolean
	/** A named entity, such as `orders/7f3c`: its view model has this name, and the session's own are not followed. */
	entity?: string
}

/** A view model has its outputs as properties and its actions as functions. */
export interface ViewModel {
	[name: string]: any
	/** Calls back now and after each change, with all outputs, until the function that it returns is called. */
	observe(body: (outputs: Readonly<Record<string, any>>) => void): () => void
	/** An output by its name, also where the name is one of this object's members. */
	output(name: string): any
	/** Acts by the action's name. Resolves to the new state; rejects with a {@link Problem}. */
	action(name: string, input?: unknown): Promise<Record<string, any>>
}

export interface Session {
	viewModel(name: string): ViewModel
	/** Calls back now and after each change, until the function that it returns is called. */
	on(path: "connection", body: (connection: Connection) => void): () => void
	/** The same for an output, `counter.text`, or a view model, `counter`. `reportError` gets what the callback throws. */
	on(path: string, body: (value: any) => void): () => void
	/** Sets the session's language. Rejects with a {@link Problem}, as for the public session. */
	language(code: string): Promise<unknown>
	/** Ends the session. Where it is the one of the page's cookie, another begins. */
	end(): Promise<unknown>
	/**
	 * The session's public name, the cursor of what is shown, the state of the connection, and when the client connects anew unless
	 * something comes before, in milliseconds since 1970.
	 */
	status(): { id: string; cursor: string; connection: Connection; until: number }
	/** Closes the connection and ends all callbacks. The session goes on. */
	close(): void
}

/**
 * Connects to the session of the page's cookie, or begins one; or to the public session, or to that of a token.
 *
 * An action is sent with a key and repeated for 30 s after a lost connection, so that it is done once.
 */
export function connect(options?: Options): Promise<Session>
