import type { Definition, Outcome } from '@botwright/framework'
import { printableBlock, printableLine } from '@botwright/protocol/facts'
import { showProblem } from './code-frame.ts'
import { resultWords } from './history/event-line.ts'
import { describeEvent, type ObservedEvent } from './history/event-words.ts'
import type { Problem } from './problem.ts'
import { duration, table, type Terminal } from './terminal.ts'

const patienceMs = 1500

/** All output of `framework dev`, in one file, for one consistent style. */
export class DevReport {
  readonly #terminal: Terminal
  readonly #root: string
  /** Lines from before the banner appear after it, unless the start takes long. */
  #held: string[] | undefined = []
  readonly #patience: NodeJS.Timeout

  constructor(terminal: Terminal, root: string) {
    this.#terminal = terminal
    this.#root = root
    this.#patience = setTimeout(() => this.#release(), patienceMs)
  }

  /** Prints the banner, then the lines from before it. */
  banner(facts: {
    version: string
    /** How long the bot took to become ready; undefined if it is not. */
    ms?: number
    page?: string
    signIn?: string
    realUrl?: string
    data?: string
  }): void {
    const { bold, green, dim, cyan, yellow } = this.#terminal.colors
    const held = this.#held ?? []
    this.#held = undefined
    clearTimeout(this.#patience)
    const line = (name: string, text: string) => `  ${green('➜')}  ${bold(name.padEnd(8))} ${text}`
    const state = facts.ms === undefined ? yellow('not ready yet') : dim(`ready in ${duration(facts.ms)}`)
    this.#print('', `  ${bold(green('Botwright'))} ${green(`v${facts.version}`)}  ${state}`, '')
    if (facts.page !== undefined) this.#print(line('Chat', cyan(facts.page)))
    if (facts.signIn !== undefined) this.#print(line('Sign in', facts.signIn))
    if (facts.data !== undefined) this.#print(line('Data', facts.data))
    if (facts.realUrl !== undefined) {
      this.#print(line('Service', `${yellow(bold('the real one'))} (--real): ${cyan(facts.realUrl)}`))
      this.#print(`     ${dim('everyone there sees what this bot does; without --real it runs on a local service')}`)
    }
    if (held.length > 0) this.#print('', ...held)
  }

  /** The bot's files as a table. */
  definitions(definitions: readonly Definition[]): void {
    const { bold, cyan, dim } = this.#terminal.colors
    const shown = definitions.filter((definition) => definition.kind !== 'middleware')
    if (shown.length === 0) {
      this.#print(`  no commands yet: create commands/ping.ts to add one`, '')
      return
    }
    const rows = shown.map(({ kind, name, description, file }) => [
      `  ${bold(printableLine(kind === 'command' ? `/${name}` : name))}`,
      kind === 'command' ? printableLine(description ?? '') : dim(kind),
      cyan(dim(printableLine(file))),
    ])
    const most = 40
    this.#print('', ...table(rows.slice(0, most)))
    if (rows.length > most) this.#print(dim(`  … and ${rows.length - most} more`))
    this.#print('')
  }

  reloaded(files: readonly string[], ms: number): void {
    const { green, dim } = this.#terminal.colors
    const more = files.length > 3 ? dim(` and ${files.length - 3} more`) : ''
    this.#print(`${green('↻')} ${printableLine(files.slice(0, 3).join(', '))}${more}  ${dim(duration(ms))}`)
  }

  /** The first code that loads, after failures. */
  started(definitions: readonly Definition[], ms: number): void {
    const { green, dim } = this.#terminal.colors
    this.#print(`${green('✓')} the bot runs  ${dim(duration(ms))}`)
    this.definitions(definitions)
  }

  /** The error is fixed, and nothing else has changed. */
  recovered(): void {
    this.#print(`${this.#terminal.colors.green('✓')} fixed; now running the latest code`)
  }

  restarted(why: string, ms: number): void {
    const { green, dim } = this.#terminal.colors
    this.#print(`${green('⟳')} ${printableLine(why)}: restarted  ${dim(duration(ms))}`)
  }

  /** A file does not compile or load. */
  async problems(problems: readonly Problem[], serving: boolean): Promise<void> {
    const { dim, yellow } = this.#terminal.colors
    for (const problem of problems.slice(0, 10)) {
      this.#print(await showProblem(problem, this.#root, this.#terminal.colors))
    }
    if (problems.length > 10) this.#print(dim(`  … and ${problems.length - 10} more`))
    const next = serving ? 'still running the previous version' : 'no version has started yet; waiting for a save'
    this.#print(`  ${yellow(next)}`)
  }

  /** A handler threw; the bot continues. */
  async failures(problems: readonly Problem[], message: string): Promise<void> {
    for (const problem of problems) {
      // The message begins with the location, which the code frame shows as well.
      const text = message.replace(/^[^\s:]+\.[cm]?[jt]s(?::\d+)?: /, '')
      this.#print(await showProblem({ ...problem, text }, this.#root, this.#terminal.colors))
    }
  }

  /** One event, in one line. */
  event(outcome: Outcome, event: ObservedEvent | undefined): void {
    const { dim, green, red } = this.#terminal.colors
    const time = new Date().toTimeString().slice(0, 8)
    const words = describeEvent(event, outcome.file ?? '')
    const what = printableLine(words.what)
    const who = printableLine(words.who)
    // The reference that the user was shown, so that both can be matched.
    const { reference } = outcome.error ?? {}
    const { ms, result } = outcome
    const why = reference ? ` ref ${reference}` : result === 'error' ? '' : ` ${resultWords[result]}`
    const mark = result === 'ok' ? green('✓') : red(`✘${why}`)
    this.#print(
      [dim(time), what, dim(who), ms === undefined ? '' : dim(duration(ms)), mark]
        .filter((part) => part !== '')
        .join('  '),
    )
  }

  /** The lines of a stack, made safe by `stackLines`, below their log line. */
  stack(lines: readonly string[]): void {
    if (lines.length > 0) this.#print(...lines.map((line) => this.#terminal.colors.dim(line)))
  }

  note(text: string): void {
    this.#print(`${this.#terminal.colors.dim('•')} ${printableBlock(text)}`)
  }

  warning(text: string): void {
    this.#print(`${this.#terminal.colors.yellow('!')} ${printableBlock(text)}`)
  }

  error(text: string): void {
    this.#print(`${this.#terminal.colors.red('✘')} ${printableBlock(text)}`)
  }

  #print(...lines: string[]): void {
    if (this.#held) this.#held.push(...lines)
    else for (const line of lines) this.#terminal.print(line)
  }

  /** Stops holding lines back: the start takes long, or has failed. */
  #release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    clearTimeout(this.#patience)
    this.#print(...held)
  }

  close(): void {
    this.#release()
  }
}
