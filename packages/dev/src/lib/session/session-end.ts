import { exitCodeOfSignal, type ProgramIo, secondSignals } from '@botwright/framework/start'

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The end of `framework dev`: by a signal, by a key, or because the bot cannot go on. */
export class SessionEnd {
  /** The exit code, once the session ends. */
  readonly code: Promise<number>
  /** Resolves at a second signal, with the exit code for it: the session must not wait for anything. */
  readonly second: Promise<number>
  readonly #signals: ProgramIo['signals']
  readonly #stopping = new AbortController()
  readonly #isSecond = secondSignals()
  #end!: (code: number) => void
  #endNow!: (code: number) => void

  constructor(signals: ProgramIo['signals']) {
    this.#signals = signals
    this.code = new Promise((resolve) => (this.#end = resolve))
    this.second = new Promise((resolve) => (this.#endNow = resolve))
    for (const name of endingSignals) signals.on(name, this.#onSignal)
  }

  /** Aborts at the end of the session: nothing waits any longer, such as for a service that has ended. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  readonly #onSignal = (name: NodeJS.Signals): void => {
    if (this.#isSecond()) this.#endNow(exitCodeOfSignal(name))
    else this.stop('a signal')
  }

  /** The user stops the session, with exit code 0. */
  stop(by: string): void {
    this.#stopping.abort(new Error(`stopped by ${by}`))
    this.#end(0)
  }

  /** The bot cannot go on: exit code 1. */
  fail(): void {
    this.#stopping.abort(new Error('the session has failed'))
    this.#end(1)
  }

  [Symbol.dispose](): void {
    for (const name of endingSignals) this.#signals.off(name, this.#onSignal)
  }
}
