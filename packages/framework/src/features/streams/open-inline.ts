// Which emphasis, code, link or mention of Markdown (CommonMark) is open at the end of a text that may go on.

interface Run {
  mark: string
  /** Its marks that are not closed yet, and all of them. */
  open: number
  length: number
  at: number
  end: number
  canClose: boolean
}

/** The end of a text within a block. */
export interface OpenInline {
  /** The text before can be shown. From here on, a link, a mention, an escape or a mark may have begun. */
  from: number
  /** Where the first open construct begins; `from` if there is none. */
  open: number
  /** The marks that close the emphasis and the code of the text before. */
  closing: string
}

const marks = '*_~|'
const isSpace = (character: string | undefined) => character === undefined || /\s/.test(character)
const isPunctuation = (character: string | undefined) => character !== undefined && /[\p{P}\p{S}]/u.test(character)
const wordEnd = /[\s>]/g
const entity = /&#?\w{0,31}/y
/** An address that the service shows as a link. */
const address = /:\/|^www\.|[^@]@[^@]|\.[a-z]/i

export function openInline(text: string): OpenInline {
  let shown = text
  for (;;) {
    const { isCode, ...end } = new InlineScan(shown).end()
    if (isCode || end.from === shown.length) return end
    // The text before may end with marks, too.
    shown = shown.slice(0, end.from)
  }
}

/** One pass over a text, up to a construct that may go on after it. */
class InlineScan {
  readonly #text: string
  readonly #labels: { at: number; runs: number }[] = []
  readonly #runs: Run[] = []
  /** The end of the last complete link or code. */
  #complete = 0
  #from: number
  /** The marks of code at the end, and where it begins. */
  #code = ''
  #codeFrom = 0

  constructor(text: string) {
    this.#text = text
    this.#from = text.length
  }

  end(): OpenInline & { isCode: boolean } {
    for (let at = 0; at < this.#text.length;) {
      const end = this.#endOfPart(at)
      if (end === undefined) {
        this.#from = at
        break
      }
      at = end
    }
    const label = this.#labels[0]
    if (label) return { from: label.at, open: label.at, closing: '', isCode: false }
    const emphasis = this.#runs
      .map(({ mark, open }) => mark.repeat(open))
      .reverse()
      .join('')
    const isCode = this.#code !== ''
    const from = isCode ? this.#from : this.#beforeAddress()
    return {
      from,
      open: this.#runs[0]?.at ?? (isCode ? this.#codeFrom : from),
      closing: this.#code + emphasis,
      isCode,
    }
  }

  /** The end of what begins here; undefined if it may go on after the text. */
  #endOfPart(at: number): number | undefined {
    const text = this.#text
    const character = text[at]!
    const next = at + 1
    if (character === '\\') return next === text.length ? undefined : next + 1
    if (character === '`') return this.#endOfCode(at)
    if (character === '<') {
      wordEnd.lastIndex = next
      const end = wordEnd.exec(text)
      if (!end) return undefined
      if (end[0] !== '>' || text.slice(next, end.index).includes('<')) return next
      return (this.#complete = end.index + 1)
    }
    if (character === '&') {
      entity.lastIndex = at
      return at + entity.exec(text)![0].length === text.length ? undefined : next
    }
    if (character === '[') this.#labels.push({ at, runs: this.#runs.length })
    if (character === ']') return this.#endOfLabel(next)
    return marks.includes(character) ? this.#endOfMarks(at) : next
  }

  #endOfCode(at: number): number | undefined {
    const text = this.#text
    const end = this.#endOfRun(at)
    if (end === text.length) return undefined
    for (let close = text.indexOf('`', end); close !== -1; close = text.indexOf('`', this.#endOfRun(close))) {
      const closeEnd = this.#endOfRun(close)
      // Marks at the end may become more.
      if (closeEnd === text.length) {
        this.#from = close
        break
      }
      if (closeEnd - close === end - at) return (this.#complete = closeEnd)
    }
    if (text.slice(end, this.#from).trim() === '') return undefined
    this.#code = text.slice(at, end)
    this.#codeFrom = at
    return text.length
  }

  #endOfLabel(next: number): number | undefined {
    const label = this.#labels.at(-1)
    if (!label) return next
    if (next === this.#text.length) return undefined
    const hasTarget = this.#text[next] === '('
    if (hasTarget) {
      const end = endOfTarget(this.#text, next)
      if (end === undefined) return undefined
      this.#complete = end
      // Emphasis that is open within a link ends there.
      this.#runs.length = Math.min(this.#runs.length, label.runs)
    }
    this.#labels.pop()
    return hasTarget ? this.#complete : next
  }

  #endOfMarks(at: number): number | undefined {
    const text = this.#text
    const end = this.#endOfRun(at)
    if (end === text.length) return undefined
    const mark = text[at]!
    const [before, after] = [text[at - 1], text[end]]
    const isLeft = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before))
    const isRight = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after))
    const canOpen = isLeft && (mark !== '_' || !isRight || isPunctuation(before))
    const canClose = isRight && (mark !== '_' || !isLeft || isPunctuation(after))
    const all = end - at
    // Struck text has two marks.
    const length = mark === '~' || mark === '|' ? all - (all % 2) : all
    const run = { mark, open: length, length, at, end, canClose }
    if (canClose) this.#closeRuns(run, canOpen)
    if (canOpen && run.open > 0) this.#runs.push(run)
    return end
  }

  #closeRuns(run: Run, canOpen: boolean): void {
    const runs = this.#runs
    const least = this.#labels.at(-1)?.runs ?? 0
    for (let i = runs.length - 1; i >= least && run.open > 0; i--) {
      const other = runs[i]!
      if (other.mark !== run.mark) continue
      // CommonMark's rule of three: `*a**b*` is one emphasis.
      const isThree = (other.length + run.length) % 3 === 0 && run.length % 3 !== 0
      if ((other.canClose || canOpen) && isThree) continue
      const both = Math.min(other.open, run.open)
      other.open -= both
      run.open -= both
      // Other marks between them remain text.
      runs.length = other.open > 0 ? i + 1 : i
    }
  }

  #endOfRun(at: number): number {
    let end = at + 1
    while (this.#text[end] === this.#text[at]) end++
    return end
  }

  /** The beginning of an address at the end, which would be a link to another page. */
  #beforeAddress(): number {
    let word = this.#from
    while (word > this.#complete && !/[\s<>]/.test(this.#text[word - 1]!)) word--
    return address.test(this.#text.slice(word, this.#from)) ? word : this.#from
  }
}

/** The end of the parentheses after the label of a link, with an address and a title. */
function endOfTarget(text: string, begin: number): number | undefined {
  let depth = 0
  for (let at = begin; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return at + 1
    else if (character === '"' || (character === '<' && at === begin + 1)) {
      const close = text.indexOf(character === '"' ? '"' : '>', at + 1)
      if (close === -1) return undefined
      at = close
    }
  }
  return undefined
}
