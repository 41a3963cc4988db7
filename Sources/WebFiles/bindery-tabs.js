// One line for all tabs of a browser: one of them leads, and tells the others what comes on its line.
//
// Whoever leads holds a lock. The others read a stream of their own making, which begins with what there is since their
// cursor and goes on with what the leader tells; where that does not follow what they have, they ask the server.
// Without locks (http at a name of a network) a tab that can be seen has a line, and one that cannot has none.
import { parseEvents } from "./bindery.js"

const beat = 3e3
const { now } = Date

// Stands in for fetch: answers what asks for changes as the group of tabs does, and passes on all else.
export const share = (renew, closing) => {
	let group
	const join = (name) => {
		if (group?.name != name) {
			group?.leave()
			group = navigator.locks ? groupOf(name, renew) : groupOfOne(renew)
			group.name = name
		}
		return group
	}
	const leave = () => (group = group?.leave())
	addEventListener("pagehide", leave, { signal: closing })
	closing.addEventListener("abort", leave)
	return (path, options) => {
		if (!path.includes("/changes?")) return fetch(path, options)
		const { Authorization, "Bindery-Session": id } = options.headers
		return join(`bindery ${path.split("/changes?")[0]} ${id} ${!!Authorization}`).fetch(path, options)
	}
}

// Hidden for a second, it has no line, and is told so.
const groupOfOne = (renew) => {
	let isAway
	const settle = () => {
		if (isAway == document.hidden) return
		isAway = document.hidden
		renew()
	}
	const look = () => (document.hidden ? setTimeout(settle, 1e3) : settle())
	document.addEventListener("visibilitychange", look)
	return {
		leave: () => document.removeEventListener("visibilitychange", look),
		fetch: async (path, options) => {
			isAway = document.hidden
			if (isAway) throw Error("Hidden")
			return fetch(path, options)
		},
	}
}

const groupOf = (name, renew) => {
	const channel = new BroadcastChannel(name)
	const followers = new Set()
	const left = new AbortController()
	let isLeading, decide
	let [heard, stolen] = [now(), 0]
	let decided = new Promise((done) => (decide = done))

	const lead = () => {
		isLeading = true
		decide()
		channel.postMessage({ hidden: document.hidden })
		// What was followed ends, and the next line is a real one.
		if (followers.size) renew()
		return new Promise((done) => left.signal.addEventListener("abort", done))
	}

	const follow = () => {
		isLeading = false
		stand()
		decide()
	}

	// The lock was stolen, from who led or from who was about to steal it.
	const lost = () => {
		if (left.signal.aborted) return
		heard = now()
		if (!isLeading) return
		follow()
		renew()
	}

	// Stands in line for the lock, until it is had, or taken by another.
	const stand = (options = { signal: left.signal }) => navigator.locks.request(name, options, lead).catch(lost)

	navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock ? lead() : follow())).catch(lost)

	// A leader that is hidden may be frozen at any moment, and a frozen one keeps its lock.
	const steal = () => {
		if (isLeading || document.hidden || now() - stolen < 6e4) return
		stolen = now()
		stand({ steal: true })
	}

	const ticking = setInterval(() => {
		if (isLeading) channel.postMessage({ hidden: document.hidden })
		else if (now() - heard > 1e4) steal()
	}, beat)

	channel.onmessage = ({ data }) => {
		heard = now()
		if (data.hidden) steal()
		if (isLeading) return
		for (const { take, lose } of followers) {
			if (data.event) take(data)
			if (data.lost) lose(Error("Lost"))
		}
	}

	const tell = (what) => channel.postMessage(what)

	return {
		leave() {
			left.abort()
			clearInterval(ticking)
			channel.close()
		},
		async fetch(path, options) {
			await decided
			return isLeading ? lineOf(path, options, tell) : followed(path, options, followers)
		},
	}
}

// The leader's line, of which each event is told, and that it was lost.
const lineOf = async (path, options, tell) => {
	let from = new URLSearchParams(path.split("?")[1]).get("since")
	const told = (event) => {
		tell({ from, event })
		from = event.id
	}
	const lost = () => options.signal.aborted || tell({ lost: true })
	const answer = await fetch(path, options).catch((failure) => {
		lost()
		throw failure
	})
	if (!answer.ok) {
		lost()
		return answer
	}
	if (!/event-stream/.test(answer.headers.get("Content-Type"))) {
		const body = await answer.clone().json().catch(() => 0)
		if (body?.cursor) told({ event: body.kind, id: body.cursor, data: JSON.stringify(body) })
		return answer
	}
	const parse = parseEvents(told)
	const { readable, writable } = new TransformStream({
		transform(bytes, line) {
			line.enqueue(bytes)
			parse(bytes)
		},
	})
	answer.body.pipeTo(writable).catch(lost)
	return new Response(readable, { headers: answer.headers })
}

export const toldByAnother = "told by another tab"

// A stream of what there is since the cursor, and then of what the leader tells.
const followed = async (path, options, followers) => {
	const headers = { ...options.headers, Accept: "application/json" }
	let at = new URLSearchParams(path.split("?")[1]).get("since")
	let [line, isAsking, isAskedAgain] = []
	const put = ({ event, id, data }) => {
		at = id
		line.enqueue(new TextEncoder().encode(`event: ${event}\nid: ${id}\ndata: ${data}\n\n`))
	}
	const ask = () =>
		fetch(path.split("?")[0] + "?wait=0" + (at ? "&since=" + at : ""), { ...options, headers })
	const putAnswer = async (answer) => {
		const body = await answer.json()
		put({ event: body.kind, id: body.cursor, data: JSON.stringify(body) })
	}
	const catchUp = async () => {
		isAskedAgain = true
		if (isAsking) return
		isAsking = true
		try {
			while (isAskedAgain) {
				isAskedAgain = false
				const answer = await ask()
				if (!answer.ok) throw Error(answer.status)
				await putAnswer(answer)
			}
		} catch (failure) {
			lose(failure)
		}
		isAsking = false
	}
	const lose = (failure) => {
		followers.delete(follower)
		line?.error(failure)
	}
	const take = ({ from, event }) => {
		const isWhole = event.event == "snapshot"
		if (!isAsking && (isWhole || from == at)) put(event)
		else if (event.id != at || isAsking) catchUp()
	}
	const follower = { take, lose }
	// From now on: what is told while it asks may be newer than the answer.
	followers.add(follower)
	isAsking = true
	const first = await ask().catch((failure) => {
		followers.delete(follower)
		throw failure
	})
	if (!first.ok) {
		followers.delete(follower)
		return first
	}
	if (!followers.has(follower)) throw Error("Lost")
	options.signal.addEventListener("abort", () => lose(options.signal.reason))
	const body = new ReadableStream({
		async start(controller) {
			line = controller
			await putAnswer(first)
			isAsking = false
			if (isAskedAgain) catchUp()
		},
		cancel: () => followers.delete(follower),
	})
	return new Response(body, { headers: { "Content-Type": "text/event-stream" }, statusText: toldByAnother })
}
