const { now } = Date
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
const backoff = (attempt, after) => Math.max((1 + Math.random()) * Math.min(5e3, 250 * 2 ** attempt), after * 1e3 || 0)

const check = async (answer) => {
	const { status, headers, ok } = answer
	const body = await answer.json().catch(() => 0)
	if (ok && body) return body
	throw Object.assign(Error(body.detail ?? "No answer"), { status, retryAfter: headers.get("Retry-After") }, body)
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

export const connect = async ({ url = "", token, public: isPublic, tabs = "./bindery-tabs.js" } = {}) => {
	const listeners = new Set()
	const closing = new AbortController()
	const isOwn = !token && !isPublic
	const fetch = tabs ? (await import(tabs)).share(() => open(), closing.signal) : self.fetch
	let attempt = 0
	let silences = 0
	let pollsUntil = 0
	let id, epoch, values, seqs, cursor, line, until, entering, connection, hiddenAt

	const send = (path, headers = {}, options) => {
		if (token) headers.Authorization = "Bearer " + token
		if (id) headers["Bindery-Session"] = id
		const credentials = isOwn ? "same-origin" : "omit"
		const signal = AbortSignal.timeout(2e4)
		return fetch(url + path, { cache: "no-store", redirect: "error", credentials, headers, signal, ...options })
	}

	const of = (name) => values[name] ?? {}

	const on = (path, body) => {
		const [viewModel, output] = path.split(".")
		let known = on
		let told = on
		const listener = async () => {
			const value = path == "connection" ? connection : output ? of(viewModel)[output] : of(viewModel)
			if (known === (known = value)) return
			if (told !== (told = JSON.stringify(output ? value : Object.entries(value ?? 0).sort()))) body(value)
		}
		listeners.add(listener)
		listener()
		return () => listeners.delete(listener)
	}

	const tell = () => listeners.forEach((listener) => listener())

	const become = (next) => tell((connection = next))

	const take = (at, changes, kind, reason = "initial") => {
		const [, mark, last] = /([^".]*)\.(\d+)/.exec(at) ?? []
		if (mark != epoch || reason != "initial") {
			if (kind != "snapshot") return
			;[epoch, values, seqs] = [mark, {}, {}]
		}
		for (const { seq = +last, viewModel, output, value } of changes) {
			const path = viewModel + "." + output
			if (seqs[path] >= seq) continue
			seqs[path] = seq
			values[viewModel] = { ...of(viewModel), [output]: value }
		}
		tell()
		return true
	}

	const changesOf = (viewModels) =>
		Object.entries(viewModels).flatMap(([viewModel, outputs]) =>
			Object.entries(outputs).map(([output, value]) => ({ viewModel, output, value })))

	const find = async () => {
		for (id = epoch = 0; ; ) {
			const answer = await send("/session")
			const found = isOwn && answer.status == 401 ? { public: 1 } : await check(answer)
			if (!isOwn || !found.public) {
				;({ id, cursor } = found)
				return take(cursor, changesOf(found.viewModels), "snapshot")
			}
			if (epoch++) throw Error("No cookie")
			await check(await send("/sessions", {}, { method: "POST" }))
		}
	}

	const enter = () =>
		(entering ||= (navigator.locks?.request("bindery" + url, find) ?? find()).finally(() => (entering = 0)))

	const hear = ({ kind, reason, cursor: at, changes = [] }) => {
		if (!take(at, changes, kind, reason)) {
			if (cursor) open((cursor = ""))
			throw 0
		}
		cursor = at
		become("live")
	}

	const run = async ({ signal }) => {
		const begin = now()
		let after
		until = now() + 35e3
		try {
			if (!id) await enter()
			const wait = 25 * (connection == "live")
			const Accept = begin < pollsUntil ? "application/json" : "text/event-stream"
			const answer = await send(`/changes?wait=${wait}` + (cursor && "&since=" + cursor), { Accept }, { signal })
			if (/event-stream/.test(answer.headers.get("Content-Type"))) {
				until = now() + 5e3
				if (silences++) pollsUntil = until + 3e5
				const parse = parseEvents(({ event, id, data }) => {
					silences = pollsUntil = 0
					if (event == "session-ended") throw { status: 401 }
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
				if (!wait) return open()
				after = body.retryAfter
				if (body.kind == "delta") attempt = -1
			}
			if (!after && now() - begin > 1e4) attempt = -1
		} catch ({ status, retryAfter }) {
			if (signal.aborted) return
			hangUp()
			after = retryAfter
			become(status == 401 ? "ended" : navigator.onLine ? "waiting" : "offline")
			if (status == 401) id = 0
			if (status == 400) cursor = ""
			if (status == 401 && !isOwn) return (until = NaN)
		}
		until = NaN
		if (attempt++ >= 0) await pause(backoff(attempt, after))
		if (line.signal == signal) open()
	}

	const hangUp = () => line?.abort()

	const open = () => {
		hangUp()
		if (!closing.signal.aborted) run((line = new AbortController()))
	}

	const act = async (path, input) => {
		const key = crypto.getRandomValues(new Uint32Array(4)).join("-")
		const body = JSON.stringify(input)
		const until = now() + 3e4
		for (let attempt = 0; ; attempt++) {
			const mine = id
			try {
				if (!id) await enter()
				const headers = { "Content-Type": "application/json", "Idempotency-Key": key }
				const answer = await send(path, headers, { method: "POST", body })
				const [, name] = path.split("/")
				const outputs = await check(answer)
				if (!Object.keys(outputs).some((output) => output in (values[name] ?? outputs))) throw Error("No answer")
				take(answer.headers.get("ETag"), changesOf({ [name]: outputs })) || await enter().catch(open)
				return outputs
			} catch (failure) {
				const { status, type, retryAfter } = failure
				if (status == 401 && mine == id) open((id = 0))
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
			action: (action, input) => act(`/${name}/${action}`, input),
			observe: (body) => on(name + ".", body),
			toJSON: () => of(name),
			then: undefined,
		}
		const get = (_, member) =>
			member in own ? own[member] : member in of(name) ? of(name)[member] : (input) => own.action(member, input)
		return new Proxy(own, { get })
	}

	await enter()
	const watch = setInterval(() => now() > until && open(), 1e3)
	const renew = () => open((pollsUntil = 0))
	const listen = (name, body) => addEventListener(name, body, closing)
	for (const name of ["online", "pageshow", "resume"]) listen(name, renew)
	listen("pagehide", hangUp)
	listen("visibilitychange", () => (document.hidden ? (hiddenAt = now()) : now() - hiddenAt > 1e4 && renew()))
	open()

	return {
		viewModel,
		status: () => ({ id, cursor, connection }),
		on,
		close: () => {
			closing.abort()
			listeners.clear()
			clearInterval(watch)
			hangUp()
		},
	}
}
