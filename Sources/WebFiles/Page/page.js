// The page of a server: what its view models show, and what goes over the wire for it.
import { setPublic, showWire } from "./wire.js"
import { connect } from "/bindery.js"
import { find, make } from "./dom.js"
import { card } from "./screens.js"

const words = { live: "live", waiting: "connection lost", offline: "offline", ended: "session ended" }
const spoken = { live: "Connected.", waiting: "Connection lost. Trying again.", offline: "Offline.", ended: "The session ended." }
const index = await (await fetch("/", { headers: { Accept: "application/json" } })).json()
let session
let ends = []
let hasPublic = true

const ask = async (path, options = {}) => {
	const isPublic = !isOwn()
	const headers = options.body ? { "Content-Type": "application/json" } : {}
	return fetch(path, { credentials: isPublic ? "omit" : "same-origin", headers, ...options })
}

const isOwn = () => !find("end").hidden

const showWhose = async () => {
	const { public: isPublic, expiresIn, language } = await (await ask("/session")).json()
	const hours = Math.round(expiresIn / 3600)
	find("whose").textContent = isPublic
		? "public session, shared by all"
		: `own session, ends in ${hours ? `${hours} h` : `${Math.round(expiresIn / 60)} min`} unless used`
	find("language").value = language
	find("language").disabled = isPublic
}

const showConnection = (connection) => {
	if (!connection) return
	const isAway = connection == "waiting" || connection == "offline"
	if (find("connection").dataset.connection != connection) find("status").textContent = spoken[connection]
	find("connection").dataset.connection = connection
	find("word").textContent = words[connection]
	find("band").hidden = !isAway
	document.body.classList.toggle("away", isAway)
	// Another has begun where one ended.
	if (connection == "live") showWhose()
}

const show = async (isPublic) => {
	const next = await connect({ public: isPublic, tabs: false })
	session?.close()
	for (const end of ends) end()
	session = next
	setPublic(isPublic)
	find("end").hidden = isPublic
	find("public").hidden = isPublic || !hasPublic
	find("own").hidden = !isPublic
	const cards = index.viewModels.map((viewModel) => card(session, viewModel))
	find("cards").replaceChildren(...cards.map(([element]) => element))
	ends = cards.map(([, end]) => end)
	session.on("connection", showConnection)
	find("cursor").value = session.status().cursor
}

document.title = index.name
find("name").textContent = index.name
find("language").append(...index.languages.map((language) => make("option", {}, language)))
showWire(index.viewModels.map(({ name }) => name))
find("own").onclick = () => show(false)
find("public").onclick = () => show(true)
find("end").onclick = () => ask("/session", { method: "DELETE" })
find("language").onchange = async ({ target }) => {
	await ask("/session", { method: "PATCH", body: JSON.stringify({ language: target.value }) })
	showWhose()
}

setPublic(true)
await show(true).catch(() => {
	hasPublic = false
	return show(false)
})
