const { now } = Date
const nothing = {}
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
const backoff = (attempt, after) => Math.max((1 + Math.random()) * Math.min(5e3, 250 * 2 ** attempt), after * 1e3 || 0)

const seqOf = (tag) => +/^(W\/)?"?(\d+)\./.exec(tag)?.[2]

const check = async (answer) => {
	const { status, headers, ok } = answer
	const body = status == 204 || (await answer.json().catch(() => 0))
	if (ok && body) return body
	throw Object.assign(Error(body.detail ?? "No answer"), { status, retryAfter: headers.get("Retry-After") }, body)
}

// Inserts, replaces or removes a row of a list by key.
export const fold = (list, { by, key, value, removed, after }) => {
	if (!removed && after === undefined) return list.map((row) => (row[by] === key ? value : row))
	list = list.filter((row) => row[by] !== key)
	if (!removed) list.splice(list.findIndex((row) => row[by] === after) + 1, 0, value)
	return list
}

export const parseEvents = (take) => {
	const decoder = new TextDecoder()
	let text = ""
	return (bytes) => {
		const piece = decoder.decode(bytes, { stream: true })
		text += piece
		if (text.length > 2 ** 25) throw Error("No answer")
		if (!/[\r\n]/.test(piece)) return
		const blocks = text.replace(/\r\n|\r(?!$)/g, "\n").split("\n\n")
		text = blocks.pop()
		for (const block of blocks) {
			const event = {}
			for (const line of block.split("\n")) {
				const [, field, value] = /^(.*?)(?:: ?(.*))?$/s.exec(line)
				event[field] = event[field] && field == "data" ? event.data + "\n" + value : value
			}
			if (event.data) take(event)
		}
	}
}

export const connect = async ({ url = "", token, public: isPublic, entity } = {}) => {
	const listeners = new Set()
	const closing = new AbortController()
	const isOwn = !token && !isPublic
	const values = {}
	let connection = "waiting"
	let attempt = 0
	let silences = 0
	let pollsUntil = 0
	let id, seqs, newest, cursor, line, until, entering

	const send = (path, headers = {}, options) => {
		if (token) headers.Authorization = "Bearer " + token
		if (id) headers["Bindery-Session"] = id
		const credentials = isOwn ? "same-origin" : "omit"
		const signal = AbortSignal.timeout(2e4)
		return fetch(url + path, { cache: "no-store", redirect: "error", credentials, headers, signal, ...options })
	}

	const of = (name) => values[name] ?? nothing

	const on = (path, body) => {
		const [viewModel, output] = path.split(".")
		let known = on
		const listener = () => {
			const value = path == "connection" ? connection : output ? of(viewModel)[output] : of(viewModel)
			if (known === (known = value)) return
			try {
				body(value)
			} catch (error) {
				reportError(error)
			}
		}
		listeners.add(listener)
		listener()
		return () => listeners.delete(listener)
	}

	const tell = () => listeners.forEach((listener) => listener())

	const become = (next) => tell((connection = next))

	const take = (changes, isSnapshot) => {
		if (isSnapshot) [seqs, newest] = [{}, 0]
		const known = { ...seqs }
		for (const change of changes) {
			const { seq, viewModel, output, key } = change
			const path = viewModel + "." + output
			if (known[path] >= seq) continue
			seqs[path] = seq
			newest = Math.max(newest, seq)
			const old = of(viewModel)[output]
			const value = key === undefined ? change.value : fold(old, change)
			if (JSON.stringify(old) == JSON.stringify(value)) continue
			values[viewModel] = { ...of(viewModel), [output]: value }
		}
		tell()
	}

	const takeAll = (viewModels, tag, isSnapshot) => {
		const changes = Object.entries(viewModels).flatMap(([viewModel, outputs]) =>
			Object.entries(outputs).map(([output, value]) => ({ seq: seqOf(tag), viewModel, output, value })))
		take(changes, isSnapshot)
	}

	const find = async () => {
		for (let begun; ; begun = await check(await send("/sessions", {}, { method: "POST" }))) {
			id = 0
			const answer = await send("/session")
			const found = isOwn && answer.status == 401 ? { public: 1 } : await check(answer)
			if (!isOwn || !found.public) {
				id = found.id
				if (!entity) return takeAll(found.viewModels, (cursor = found.cursor), true)
				const shown = await send("/" + entity)
				// It may be made later: the feed brings it then.
				const outputs = shown.status == 404 ? {} : await check(shown)
				return takeAll({ [entity]: outputs }, (cursor = shown.headers.get("ETag")), true)
			}
			if (begun) throw Error("No cookie")
		}
	}

	const enter = () =>
		(entering ||= (navigator.locks?.request("bindery" + url, find) ?? find()).finally(() => (entering = 0)))

	const run = async ({ signal }) => {
		const begin = now()
		let after
		const hear = ({ kind, cursor: at, changes = [], retryAfter }) => {
			if (now() - begin > 1e4) attempt = -1
			after = retryAfter
			cursor = at
			connection = "live"
			take(changes, kind == "snapshot")
		}
		until = begin + 35e3
		try {
			if (!id) await enter()
			const wait = 25 * (connection == "live")
			// If an action's answer is newer than the cursor, a restored store may lack it: ask for a snapshot.
			const since = newest > seqOf(cursor) ? "" : "&since=" + cursor
			const Accept = begin < pollsUntil ? "application/json" : "text/event-stream"
			const path = entity ? `/${entity}/changes` : "/changes"
			const answer = await send(path + "?wait=" + wait + since, { Accept }, { signal })
			if (/event-stream/.test(answer.headers.get("Content-Type"))) {
				// A proxy may delay streams.
				until = now() + 5e3
				if (silences++) pollsUntil = until + 3e5
				const parse = parseEvents(({ event, id, data }) => {
					silences = pollsUntil = 0
					if (/ended/.test(event)) throw { status: event == "ended" ? 404 : 401 }
					hear({ kind: event, cursor: id, ...JSON.parse(data) })
				})
				for (const reader = answer.body.getReader(); ; ) {
					const { done, value } = await reader.read()
					if (done) break
					parse(value)
					if (!silences) until = now() + 35e3
				}
			} else {
				const body = await check(answer)
				hear(body)
				if (!wait || body.kind == "delta") attempt = -1
			}
		} catch ({ status, retryAfter }) {
			if (signal.aborted) return
			hangUp()
			if (status == 401) id = 0
			until = status == 401 && !isOwn ? NaN : now() + backoff(attempt++, retryAfter)
			return become(/40[14]/.test(status) ? "ended" : navigator.onLine ? "waiting" : "offline")
		}
		if (attempt++ < 0 && !after) open()
		else until = now() + backoff(attempt, after)
	}

	const hangUp = () => line?.abort()

	const open = () => {
		hangUp()
		if (closing.signal.aborted) return
		if (!document.hidden) return run((line = new AbortController()))
		until = NaN
		become("waiting")
	}

	const act = async (method, path, input, name) => {
		const key = crypto.getRandomValues(new Uint32Array(4)).join("-")
		const body = JSON.stringify(input)
		const until = now() + 3e4
		for (let attempt = 0; ; attempt++) {
			try {
				if (!id) await enter()
				const mine = id
				const answer = await send(path, { "Content-Type": "application/json", "Idempotency-Key": key }, { method, body })
				const outputs = await check(answer)
				if (name && mine == id) takeAll({ [name]: outputs }, answer.headers.get("ETag"))
				return outputs
			} catch (failure) {
				const { status, type, retryAfter } = failure
				if (status == 401) open()
				const after = backoff(attempt, retryAfter)
				const isLost = /^(und|2|50[23]|504(?!.*action))/.test(status + "" + type)
				if (isLost && now() + after < until) await pause(after)
				else throw isLost && !type ? Error("No answer: it may be done", { cause: failure }) : failure
			}
		}
	}

	const viewModel = (name) => {
		const own = {
			output: (output) => of(name)[output],
			action: (action, input) => act("POST", `/${name}/${action}`, input, name),
			observe: (body) => on(name, body),
			toJSON: () => of(name),
			then: undefined,
		}
		const get = (_, member) =>
			member in own ? own[member] : member in of(name) ? of(name)[member] : (input) => own.action(member, input)
		return new Proxy(own, { get })
	}

	await enter()
	const watch = setInterval(() => now() > until && open(), 250)
	addEventListener("online", () => (pollsUntil = 0), closing)
	for (const name of ["online", "pageshow", "resume", "visibilitychange"]) addEventListener(name, open, closing)
	addEventListener("pagehide", hangUp, closing)
	open()

	return {
		viewModel,
		on,
		language: (language) => act("PATCH", "/session", { language }),
		end: () => act("DELETE", "/session"),
		status: () => ({ id, cursor, connection, until }),
		close: () => {
			closing.abort()
			listeners.clear()
			clearInterval(watch)
			hangUp()
		},
	}
}
