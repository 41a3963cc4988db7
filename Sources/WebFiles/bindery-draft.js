// A field of a page that is made by attributes: it shows the state until somebody fills it in.
import {
	fieldsOf, isChoice, isEnabled, isNone, isPicked, isUnseen, like, own, read, shows, textsOf, untouched, words, wordsAfter, write,
} from "./bindery-fields.js"

// The browser puts back what it had shown before.
const isPutBack = () => /reload|back/.test(performance.getEntriesByType("navigation")[0]?.type)

// What a bound field shows, and whether that is the state or what somebody fills in.
export class Draft {
	static #all = new WeakMap()
	static #watched = new WeakSet()
	static #count = 0
	static of = (field) => Draft.#all.get(field)
	static bind = (field, isLoading) => Draft.of(field) ?? new Draft(field, isLoading)

	#fields
	#state
	#isFilledIn
	#chosen
	// By the page's script; and a mark of its own for what it has put in in this very turn, where nobody sees the field.
	#isPutIn = false
	#putInNow
	// How many resets of this turn are still to be heard.
	#resets = 0
	// What it said when the state was last shown, or sent and done; and when it was last looked at.
	#shown
	#seen
	// The submissions of its form that wait for their answers, and those of them until whose answers what it says stays.
	#waiting = new Set()
	#heldBy = new Set()
	#observer
	// Whether it is written just now by itself, and not by the page's script.
	#isShowing = false
	// Whether its form was reset while somebody was in it, who has not typed since.
	#isCleared = false
	// The larger, the later somebody filled it in; 0 where only the page's script did.
	filledAt = 0
	// How often the page has changed its options or ends.
	changes = 0
	// How often its script has put something in for what comes next, while a submission waited.
	puts = 0

	// Before the script was there somebody may have filled it in; what the page adds later it fills in itself.
	constructor(field, isLoading) {
		const fields = (this.#fields = fieldsOf(field))
		// One more of a name takes the place of those before.
		const former = fields.map(Draft.of).find((draft) => draft)
		this.#isFilledIn = former ? former.isFilledIn : isLoading && !isPutBack() && words(fields) != untouched(fields)
		if (this.#isFilledIn) this.#chosen = this.said()
		this.filledAt = former?.filledAt ?? (this.#isFilledIn ? ++Draft.#count : 0)
		for (const one of fields) {
			Draft.#all.set(one, this)
			// Without a form, who fills in a field is in it. In one, the page's own too, it is kept for what is done by that.
			const note = ({ type }) => {
				this.#chosen = this.said()
				this.#isCleared = false
				// A text that was saved while it was typed changes no more as it is left.
				this.#seen = words(fields)
				if (type == "change" && this.#seen === this.#shown) return
				this.#isFilledIn = !!this.#form || one.matches(":focus")
				this.filledAt = ++Draft.#count
			}
			for (const event of ["input", "change"]) one.addEventListener(event, note, true)
			// A part of a date is typed without an input.
			const type = ({ key, ctrlKey, metaKey }) => key.length == 1 && !ctrlKey && !metaKey && (this.#isCleared = false)
			one.addEventListener("keydown", type, true)
			one.addEventListener("blur", ({ relatedTarget }) => {
				// Somebody may be in another window.
				if (fields.includes(relatedTarget) || one.getRootNode().activeElement == one) return
				this.#isCleared = false
				this.#form ? this.#show() : this.release()
			})
		}
		// It tells before the fields are as the page has them, and may be prevented; the page's own script may fill them in at once.
		const reset = (before, changes, filledAt) => {
			this.settle()
			// What it chooses of options that it draws anew it tells.
			const isReset = this.changes != changes ? this.filledAt == filledAt : words(fields) == untouched(fields)
			const put = this.#putInNow ?? (before?.isSent ? undefined : before)
			if (put && isUnseen(field)) {
				this.#seen = words(fields)
				this.#isPutIn = !this.#isBack()
				if (!put.isNoted) this.#keepPutIn()
			} else if (isReset) {
				this.release()
				this.#isCleared = this.#isFocused
			}
		}
		const { form } = field
		const hearReset = (event) => {
			this.settle()
			const [before, { changes, filledAt }] = [this.#putInNow, this]
			this.#resets++
			setTimeout(() => {
				this.#resets--
				if (!event.defaultPrevented) reset(before, changes, filledAt)
			})
		}
		if (isUnseen(field) && field.matches("input")) this.#watch(field)
		if (form) own(form, "addEventListener")("reset", hearReset, true)
		if (!isPicked(field)) return
		this.#observer = new MutationObserver((records) => this.#hear(records))
		const attributeFilter = ["value", "min", "max", "step"]
		this.#observer.observe(field, { childList: true, characterData: true, subtree: true, attributeFilter })
	}

	// What is put into what nobody sees, with a reset, is about what comes next, also where it is the same.
	#watch(field) {
		if (Draft.#watched.has(field)) delete field.value
		let owner = field
		while (!Object.hasOwn(owner, "value")) owner = Object.getPrototypeOf(owner)
		// The page has its own.
		if (owner == field) return
		Draft.#watched.add(field)
		const { get, set } = Object.getOwnPropertyDescriptor(owner, "value")
		const hear = (value) => {
			const before = words(this.#fields)
			set.call(field, value)
			if (this.#isShowing) return
			// The same once more, as a widget writes it, is about nothing, but for the empty number of one more new row.
			if (this.isRowBegun || words(this.#fields) != before) this.#keepPutIn()
			const now = (this.#putInNow = {})
			setTimeout(() => this.#putInNow == now && (this.#putInNow = undefined))
		}
		Object.defineProperty(field, "value", { configurable: true, get, set: hear })
	}

	// While a submission waits that is about what comes next, also where it is the state.
	#keepPutIn() {
		if (!this.#waiting.size) return
		this.#isPutIn = true
		this.puts++
		for (const submission of this.#waiting) this.#heldBy.add(submission)
	}

	get #form() {
		return this.#fields.find((field) => field.form)?.form
	}

	// Of other options the browser chooses one, which may be the same again, and of other ends of a range what is between.
	#choose() {
		this.changes++
		if (this.#isFilledIn && this.#chosen !== undefined) {
			write(this.#fields, this.#chosen)
			this.#seen = words(this.#fields)
		} else {
			this.#write()
		}
	}

	// A range's own `value` is where it begins, which the page may note there as it likes.
	#hear(records) {
		const isOfField = ({ target }) => target == this.#fields[0]
		if (records.some((one) => one.attributeName != "value" || !isOfField(one))) this.#choose()
	}

	// Hears at once of what the page has changed in this turn.
	settle() {
		this.#hear(this.#observer?.takeRecords() ?? [])
	}

	// What the field says, to be sent. The page may hold back a choice that the state has, as one that is disabled; "Choose one" is none.
	said() {
		const texts = textsOf(this.#state)
		const isHeldBack = (choice) => choice.value != "" && texts.includes(choice.value)
		return read(this.#fields, this.#state, (choice) => isEnabled(choice) || isHeldBack(choice))
	}

	// Also by the page's own script.
	get isFilledIn() {
		return this.#isFilledIn || (this.#form && (this.isPutIn || this.#heldBy.size > 0))
	}

	get isPutIn() {
		this.#look()
		return this.#isPutIn
	}

	// What the page's script has put in since, which does not tell: the state itself is nothing filled in, unless a submission waits, nor
	// is what the browser chooses. A field that is disabled by itself, and not with others as they are sent, shows the state.
	#look() {
		this.settle()
		const said = words(this.#fields)
		const isWaitedFor = this.#heldBy.size > 0
		const isState = !isWaitedFor && this.#fields.every(({ disabled }) => disabled)
		if (this.#shown === undefined || said === this.#seen || isState) return
		this.#seen = said
		this.#isPutIn = isWaitedFor || !this.#isBack()
	}

	#isBack(isShown) {
		const shown = wordsAfter(this.#fields, (copies) => write(copies, this.#state))
		return this.#seen === shown || (isShown && !this.isRowBegun && this.#seen === this.#shown)
	}

	// Whether it is the row's, and the page has begun a new one by emptying it: no state yet.
	get isRowBegun() {
		return isUnseen(this.#fields[0]) && isNone(read(this.#fields))
	}

	// What was put in before a submission is sent, and about nothing that comes next, unless the form was reset for it.
	hearSent() {
		if (!this.#putInNow) return
		this.#putInNow.isNoted = true
		if (this.#resets) return
		this.#putInNow.isSent = true
		this.#putInNow = undefined
	}

	hold(submission) {
		this.#waiting.add(submission)
		if (this.isFilledIn) this.#heldBy.add(submission)
	}

	// Once it was done, that is what was shown; `said` is what it said. What was put in since stays, but for the state.
	letGo(submission, said) {
		this.#look()
		this.#waiting.delete(submission)
		if (!this.#heldBy.delete(submission)) return
		if (said !== undefined) this.#shown = said
		if (!this.#heldBy.size && this.#isBack(said === undefined)) this.#isPutIn = false
		this.#show()
	}

	// What the page puts back as it hears of a refusal is not filled in, nor by what else is sent.
	hearRefused() {
		const before = this.#seen
		this.#look()
		if (this.#seen === before || !this.#isBack(true)) return
		this.#isFilledIn = this.#isPutIn = false
		this.#heldBy.clear()
	}

	// What is sent for what the field said: where nobody had filled it in the state, which it may not be able to show.
	sent(value, isFilledIn, state = this.#state) {
		if (isFilledIn || state === undefined) return like(state, value)
		if (state === null) return undefined
		return typeof state == "string" && shows(this.#fields, state) ? this.said() : state
	}

	get state() {
		return this.#state
	}

	set state(value) {
		const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
		if (isRounded) console.warn("A browser may round so large a number, and send another one: show it as a text.", this.#fields[0])
		this.#look()
		this.#state = value
		// What its script has put in is what the page was waiting for.
		if (this.#isPutIn && !this.#heldBy.size && this.#isBack()) this.#isPutIn = false
		this.#show()
	}

	// As an answer of a view model tells it, where it does.
	stateBy(viewModel, outputs) {
		const [its, output] = this.#fields.map(({ dataset }) => dataset.bind).find(Boolean)?.split(".") ?? []
		return its == viewModel ? outputs[output] : this.#state
	}

	// Somebody is in the field, which shows the state already; a choice is made at once.
	get #isBusy() {
		return this.#shown !== undefined && this.#isFocused && !this.#isCleared
	}

	get #isFocused() {
		return !isChoice(this.#fields[0]) && this.#fields[0].matches(":focus")
	}

	// Whoever is in a field is not disturbed: what it says is what is shown.
	#show() {
		if (this.isFilledIn) return
		if (this.#isBusy) this.#note()
		else this.#write()
	}

	#write() {
		if (this.#state === undefined || this.#fields.some((field) => Draft.of(field) != this)) return
		this.#isShowing = true
		if (!shows(this.#fields, this.#state)) write(this.#fields, this.#state)
		this.#isShowing = false
		this.#note()
	}

	#note() {
		this.#shown = this.#seen = words(this.#fields)
		this.#isPutIn = false
		this.#putInNow = undefined
	}

	// From now on the state is shown again; whoever may still be typing sees it once the field is left. What was picked was done.
	release(isTyping) {
		this.#isFilledIn = this.#isPutIn = false
		this.#heldBy.clear()
		if (isTyping && this.#isBusy && !isPicked(this.#fields[0])) this.#note()
		else this.#write()
	}
}
