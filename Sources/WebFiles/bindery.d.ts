// Types for any server. `bindery client typescript` writes types for the view models of one server.

/**
 * The state of the connection. `waiting`: the server does not answer, or the tab is hidden. `ended`: the session or the named
 * entity ended. If it was the session of the page's cookie, the client begins another. For an entity, it keeps asking.
 */
export type Connection = "live" | "waiting" | "offline" | "ended"

/**
 * An action rejects with the server's problem (RFC 9457). Without a `type`, the server may have done the action, and `cause`
 * is the last failure.
 */
export interface Problem extends Error {
	status?: number
	/** Such as `/problems/action-disabled`. */
	type?: string
	title?: string
	detail?: string
	/** The refused member of the body. */
	pointer?: string
	/** The view model's state, if it refused the action. */
	state?: object
	instance?: string
}

export interface Options {
	/** The server's origin, without a slash at the end. The default is the page's origin. */
	url?: string
	/** A session's token. Without a token, the client uses the session of the page's cookie. */
	token?: string
	/** Whether to use the session that all clients without a token share. */
	public?: boolean
	/** A named entity, such as `orders/7f3c`. Its view model has this name. The client does not follow the session's view models. */
	entity?: string
}

/** A view model has its outputs as properties and its actions as functions. */
export interface ViewModel {
	[name: string]: any
	/** Calls back now and after each change, with all outputs. The returned function ends this. */
	observe(body: (outputs: Readonly<Record<string, any>>) => void): () => void
	/** An output by its name, also if this object has a member of that name. */
	output(name: string): any
	/** Runs an action by its name. Resolves to the new state; rejects with a {@link Problem}. */
	action(name: string, input?: unknown): Promise<Record<string, any>>
}

export interface Session {
	viewModel(name: string): ViewModel
	/** Calls back now and after each change. The returned function ends this. */
	on(path: "connection", body: (connection: Connection) => void): () => void
	/** The same for an output, `counter.text`, or a view model, `counter`. `reportError` gets errors of the callback. */
	on(path: string, body: (value: any) => void): () => void
	/** Sets the session's language. Rejects with a {@link Problem}, for example in the public session. */
	language(code: string): Promise<unknown>
	/** Ends the session. If it is the session of the page's cookie, the client begins another. */
	end(): Promise<unknown>
	/**
	 * The session's public name, the cursor of the shown state, the state of the connection, and the time of the next reconnect
	 * without new data, in milliseconds since 1970.
	 */
	status(): { id: string; cursor: string; connection: Connection; until: number }
	/** Closes the connection and ends all callbacks. The session continues. */
	close(): void
}

/**
 * Connects to the session of the page's cookie, or begins one. Options choose the public session, or the session of a token.
 *
 * The client sends a key with each action. After a lost connection it repeats the action for 30 s, and the action happens once.
 */
export function connect(options?: Options): Promise<Session>
