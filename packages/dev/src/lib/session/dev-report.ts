import type { Definition, Outcome } from '@botwright/framework'
import type { RenewedRuns, RunningBot } from '@botwright/framework/start'
import { describeEvent, localTime, type ObservedEvent } from '@botwright/framework/replay'
import { printableBlock, printableLine } from '@botwright/protocol/facts'
import { showProblem } from '../problems/code-frame.ts'
import type { TaskTimes } from './task-times.ts'
import { keepProblems } from '../problems/code-problems.ts'
import { resultWords } from '@botwright/framework/start'
import { scheduleText } from '../terminal/schedule-text.ts'
import type { Problem } from '../compile/problem.ts'
import { count, cutToWidth, duration, table, type Terminal, widthOf, wrapToWidth } from '../terminal/terminal.ts'

const longStartMs = 1500

/** The problems of the newest code, and the version that runs; no problems once it runs. */
export type OnProblems = (problems: readonly Problem[], serving: 'new' | 'previous' | 'none') => void
/** The lines of the banner without its table. */
const linesAround = 12

/** All output of `framework dev`, in one file, for one consistent style. */
export class DevReport {
  readonly #terminal: Terminal
  readonly #root: string
  readonly #onProblems: OnProblems
  /** Lines from before the banner appear after it, unless the start takes long. */
  #held: string[] | undefined = []
  readonly #longStart: NodeJS.Timeout
  readonly #ignored = new Set<string>()
  /** When the running code was loaded. */
  #loadedMs = Infinity

  constructor(terminal: Terminal, root: string, onProblems: OnProblems = () => {}) {
    this.#terminal = terminal
    this.#root = root
    this.#onProblems = onProblems
    this.#longStart = setTimeout(() => this.#release(), longStartMs)
  }

  /** Prints the start: the files, the lines from before it, and last the addresses, which stay in view. */
  banner(facts: {
    version: string
    /** How long the bot took to become ready; undefined if it is not. */
    ms?: number
    definitions?: readonly Definition[]
    times?: TaskTimes
    page?: string
    signIn?: string
    realUrl?: string
    data?: string
    /** Whether it reads keys. */
    keys?: boolean
  }): void {
    const { bold, green, dim, cyan, yellow } = this.#terminal.colors
    const held = this.#held ?? []
    this.#held = undefined
    clearTimeout(this.#longStart)
    const state = facts.ms === undefined ? yellow('not ready yet') : dim(`ready in ${duration(facts.ms)}`)
    const lines = ['', `  ${bold(green('Botwright'))} ${green(`v${facts.version}`)}  ${state}`]
    if (facts.definitions) lines.push('', ...this.#table(facts.definitions, facts.times))
    if (held.length > 0) lines.push('', ...held)
    lines.push('')
    const line = (name: string, text: string) =>
      lines.push(this.#wrap(`  ${green('➜')}  ${bold(name.padEnd(8))} ${text}`, 14))
    if (facts.signIn !== undefined) line('Sign in', facts.signIn)
    if (facts.data !== undefined) line('Data', facts.data)
    if (facts.page !== undefined) line('Chat', cyan(facts.page))
    if (facts.realUrl !== undefined) {
      line('Service', `${yellow(bold('the real one'))} (--real): ${cyan(facts.realUrl)}`)
      const note = 'everyone there sees what this bot does; without --real it runs on a local service'
      lines.push(...this.#wrap(`     ${note}`, 5).split('\n').map(dim))
    }
    if (facts.keys) lines.push(`  ${dim(`press ${bold('h')} + ${bold('Enter')} for the keys`)}`)
    this.#print([...lines, ''].join('\n'))
  }

  /** The bot's files: a row for each while they fit into the window, otherwise their names. */
  #table(definitions: readonly Definition[], times: TaskTimes = new Map()): string[] {
    const { bold, cyan, dim } = this.#terminal.colors
    const { columns = Infinity, rows: height = 60 } = this.#terminal.size ?? {}
    const shown = definitions.filter((definition) => definition.kind !== 'middleware')
    if (shown.length === 0) return ['  no commands yet: create commands/ping.ts to add one']
    if (shown.length <= Math.max(8, height - linesAround)) {
      const rows = shown.map(({ kind, name, description, schedule, file }) => ({
        name: `  ${bold(printableLine(kind === 'command' ? `/${name}` : name))}`,
        what:
          kind === 'command'
            ? printableLine(description ?? '')
            : dim(schedule ? printableLine(`${kind}, ${nextText(times.get(file))}${scheduleText(schedule)}`) : kind),
        file: cyan(dim(printableLine(file))),
      }))
      const [names, files] = [rows.map(({ name }) => widthOf(name)), rows.map(({ file }) => widthOf(file))]
      const left = Math.max(12, columns - Math.max(...names) - Math.max(...files) - 4)
      return table(rows.map(({ name, what, file }) => [name, cutToWidth(what, left), file])).map((row) =>
        cutToWidth(row, columns),
      )
    }
    const kinds = (['command', 'button', 'event', 'task', 'route', 'state', 'resource'] as const)
      .map((kind) => shown.filter((one) => one.kind === kind))
      .filter((all) => all.length > 0)
    const heads = kinds.map((all) => count(all.length, all[0]!.kind))
    const widest = Math.max(...heads.map((head) => head.length))
    const width = Math.min(columns, 120)
    const names = kinds.map((all, at) => {
      const list = all.map(({ kind, name }) => bold(printableLine(kind === 'command' ? `/${name}` : name)))
      return wrapToWidth(`  ${heads[at]!.padEnd(widest)}  ${list.join('  ')}`, width, widest + 4)
    })
    return [...names, dim('  framework routes lists the files')]
  }

  /** Newer code runs. */
  running(): void {
    this.#loadedMs = Date.now()
  }

  reloaded(files: readonly string[], ms: number): void {
    this.#loaded()
    const { green, dim } = this.#terminal.colors
    const more = files.length > 3 ? dim(` and ${files.length - 3} more`) : ''
    this.#print(
      `${this.#time()}  ${green('↻')} ${printableLine(files.slice(0, 3).join(', '))}${more}  ${dim(duration(ms))}`,
    )
  }

  /** The waiting durable runs continue with the new code. Not awaited: one of them may be busy, and the next save must not wait for it. */
  renewed(bot: Pick<RunningBot, 'ready' | 'renewRuns'>): void {
    bot.renewRuns().then(
      (runs) => this.#renewed(runs),
      (error: unknown) => {
        const { message } = error as Error
        if (bot.ready) this.error(`the waiting runs could not continue with the new code: ${message}`)
      },
    )
  }

  #renewed({ waiting, mismatched }: RenewedRuns): void {
    const { green, yellow } = this.#terminal.colors
    if (waiting + mismatched.length === 0) return
    const continuing = `${count(waiting, 'waiting run')} ${waiting === 1 ? 'continues' : 'continue'}`
    const files = printableLine([...new Set(mismatched.map(({ file }) => file))].slice(0, 3).join(', '))
    const ended = mismatched.length === 0 ? '' : `, ${mismatched.length} did not match the new code (${files})`
    const [failed, ...others] = mismatched.filter(({ status }) => status === 'failed')
    const id = failed && printableLine(others.length === 0 ? failed.id : 'ID')
    const retry = id === undefined ? '' : `; framework runs retry ${id} starts ${id === 'ID' ? 'one' : 'it'} again`
    this.#print(`${this.#time()}  ${(ended === '' ? green : yellow)('↻')} ${continuing}${ended}${retry}`)
  }

  /** The first code that loads, after failures. */
  started(definitions: readonly Definition[], ms: number): void {
    this.#loaded()
    const { green, dim } = this.#terminal.colors
    this.#print(`${this.#time()}  ${green('✓')} the bot is running  ${dim(duration(ms))}`)
    this.#print(['', ...this.#table(definitions), ''].join('\n'))
  }

  /** The error is fixed, and nothing else has changed. */
  recovered(): void {
    this.#loaded()
    this.#print(`${this.#time()}  ${this.#terminal.colors.green('✓')} fixed; now running the latest code`)
  }

  restarted(why: string, ms: number): void {
    this.#loaded()
    const { green, dim } = this.#terminal.colors
    this.#print(`${this.#time()}  ${green('⟳')} ${printableLine(why)}: restarted  ${dim(duration(ms))}`)
  }

  /** A file does not compile or load, or a part of the new version does not start. `serving`: the version that runs. */
  async problems(problems: readonly Problem[], serving: 'new' | 'previous' | undefined): Promise<void> {
    keepProblems(this.#root, serving === 'new' ? [] : problems)
    this.#onProblems(problems, serving ?? 'none')
    const { dim, yellow } = this.#terminal.colors
    for (const problem of problems.slice(0, 10)) {
      this.#print(await this.#show(problem))
    }
    if (problems.length > 10) this.#print(dim(`  … and ${problems.length - 10} more`))
    const next = {
      new: 'running the new version; what failed is tried again with the next save',
      previous: 'still running the previous version',
      none: 'no version is running; waiting for a save',
    }[serving ?? 'none']
    this.#print(`  ${yellow(next)}`)
  }

  /** A handler threw; the bot continues. */
  async failures(problems: readonly Problem[], message: string): Promise<void> {
    for (const problem of problems) {
      // The message begins with the location, which the code frame shows as well.
      const text = message.replace(/^[^\s:]+\.[cm]?[jt]s(?::\d+)?: /, '')
      this.#print(await this.#show({ ...problem, text }, this.#loadedMs))
    }
  }

  /** One event, in one line. */
  event(outcome: Outcome, event: ObservedEvent | undefined): void {
    const { dim, green, red, yellow } = this.#terminal.colors
    const words = describeEvent(event, outcome.file ?? '')
    const what = printableLine(words.what)
    const who = printableLine(words.who)
    // The reference that the user was shown, so that both can be matched.
    const { reference } = outcome.error ?? {}
    const { ms, result } = outcome
    const why = reference ? ` ref ${reference}` : result === 'error' ? '' : ` ${resultWords[result]}`
    // The other lines explain how to use the command.
    const [fact] = outcome.reason?.split('\n', 1) ?? []
    const reason = fact === undefined ? '' : `: ${printableLine(fact)}`
    const mark = result === 'ok' ? green('✓') : result === 'refused' ? yellow(`–${why}${reason}`) : red(`✘${why}`)
    const parts = [this.#time(), what, who === '' ? '' : dim(who), ms === undefined ? '' : dim(duration(ms)), mark]
    this.#print(this.#wrap(parts.filter((part) => part !== '').join('  ')))
  }

  /** The lines of a stack, made safe by `stackLines`, below their log line. */
  stack(lines: readonly string[]): void {
    if (lines.length > 0) this.#print(...lines.map((line) => this.#terminal.colors.dim(line)))
  }

  note(text: string): void {
    this.#printMarked(this.#terminal.colors.dim('•'), text)
  }

  warning(text: string): void {
    this.#printMarked(this.#terminal.colors.yellow('!'), text)
  }

  /** Settings that have no effect: each is reported once. */
  ignoredSettings(texts: readonly string[]): void {
    for (const text of texts) if (!this.#ignored.has(text)) this.warning(text)
    for (const text of texts) this.#ignored.add(text)
  }

  error(text: string): void {
    this.#printMarked(`${this.#time()}  ${this.#terminal.colors.red('✘')}`, text)
  }

  /** The help of the keys. */
  keys(keys: readonly (readonly [key: string, what: string, ...rest: unknown[]])[]): void {
    const { bold, dim } = this.#terminal.colors
    this.#print(['', ...keys.map(([key, what]) => `  ${bold(key)} ${dim('+ Enter')}  ${what}`), ''].join('\n'))
  }

  /** The newest code runs. */
  #loaded(): void {
    keepProblems(this.#root, [])
    this.#onProblems([], 'new')
  }

  #time(): string {
    return this.#terminal.colors.dim(new Date().toTimeString().slice(0, 8))
  }

  #printMarked(mark: string, text: string): void {
    this.#print(this.#wrap(`${mark} ${printableBlock(text)}`))
  }

  #wrap(text: string, indent = 2): string {
    const columns = this.#terminal.size?.columns
    return columns === undefined ? text : wrapToWidth(text, columns, indent)
  }

  /** A problem with its time. Only the text wraps, and source lines are cut. */
  async #show(problem: Problem, loadedMs = Infinity): Promise<string> {
    const { colors, size } = this.#terminal
    const shown = await showProblem(problem, this.#root, { colors, size, loadedMs })
    const [head = '', ...frame] = shown.split('\n')
    const columns = this.#terminal.size?.columns ?? Infinity
    return [this.#wrap(`${this.#time()}  ${head}`), ...frame.map((line) => cutToWidth(line, columns))].join('\n')
  }

  #print(...lines: string[]): void {
    if (this.#held) this.#held.push(...lines)
    else for (const line of lines) this.#terminal.print(line)
  }

  /** Stops holding lines back: the start takes long, or has failed. */
  #release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    clearTimeout(this.#longStart)
    this.#print(...held)
  }

  [Symbol.dispose](): void {
    keepProblems(this.#root, [])
    this.#release()
  }
}

const DAY_MS = 24 * 60 * 60 * 1000
const weekday = new Intl.DateTimeFormat('en', { weekday: 'short' })

/** `next 09:00, `, with the weekday if it is on another day, or the date if that is not in the next six days. */
function nextText(ms: number | undefined): string {
  if (ms === undefined) return ''
  const [date, time] = localTime(ms).split(' ')
  const isSoon = localTime(Date.now() + 6 * DAY_MS).slice(0, 10) >= date!
  const day = date === localTime(Date.now()).slice(0, 10) ? '' : `${isSoon ? weekday.format(ms) : date} `
  return `next ${day}${time!.slice(0, 5)}, `
}
