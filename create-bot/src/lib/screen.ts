import * as prompts from '@clack/prompts'
import picocolors from 'picocolors'
import { printable } from './printable.ts'

/** Colors appear in terminals, or if FORCE_COLOR is set. */
const { FORCE_COLOR = '', NO_COLOR = '' } = process.env
const forced = FORCE_COLOR !== '' && FORCE_COLOR !== '0'
const pc = picocolors.createColors(NO_COLOR === '' && (forced || process.stdout.isTTY === true))

/** A running step; call one of these to end it. */
interface Step {
  done(text: string): void
  failed(text: string): void
}

/** The output of create-bot. */
export interface Screen {
  /** Shows that a longer step has started. */
  begin(text: string): Step
  done(text: string): void
  note(text: string): void
  fail(text: string): void
  /** Shows that the user cancelled. */
  cancelled(text: string): void
  /** Shows the next steps: commands and their meaning. */
  steps(steps: readonly (readonly [command: string, meaning: string])[]): void
}

/** Output for a person at a terminal. */
export function prettyScreen(version: string): Screen {
  prompts.intro(`${pc.bold('create-bot')} ${pc.dim(version)}`)
  return {
    begin: (text) => {
      const spinner = prompts.spinner({ indicator: 'timer', cancelMessage: 'Stopped; all new files were removed' })
      spinner.start(printable(text))
      return {
        done: (ended) => spinner.stop(printable(ended)),
        failed: (ended) => spinner.error(printable(ended)),
      }
    },
    done: (text) => prompts.log.success(printable(text)),
    note: (text) => prompts.log.warn(printable(text)),
    fail: (text) => prompts.log.error(printable(text)),
    cancelled: (text) => prompts.cancel(printable(text)),
    steps: (steps) => {
      // No frame, so that the commands can be copied.
      const lines = stepLines(steps).map((line) => `     ${line}`)
      prompts.outro(
        printable([pc.bold('Next:'), '', ...lines, '', `   ${pc.dim('See README.md for more.')}`].join('\n')),
      )
    },
  }
}

/** Plain lines, one per fact, for logs and programs. */
export function plainScreen(out: NodeJS.WritableStream, errors: NodeJS.WritableStream): Screen {
  const line = (text: string) => void out.write(printable(`${text}\n`))
  return {
    begin: () => {
      const startedMs = performance.now()
      const end = (mark: string) => (ended: string) => {
        const seconds = Math.round((performance.now() - startedMs) / 1000)
        line(`${mark} ${ended}${seconds > 0 ? pc.dim(` [${seconds}s]`) : ''}`)
      }
      return { done: end(pc.green('✓')), failed: end(pc.red('✘')) }
    },
    done: (text) => line(`${pc.green('✓')} ${text}`),
    note: (text) => line(`${pc.yellow('!')} ${text}`),
    fail: (text) => void errors.write(printable(`${pc.red('✘')} ${text}\n`)),
    cancelled: line,
    steps: (steps) => {
      line('Next:')
      for (const step of stepLines(steps)) line(`  ${step}`)
    },
  }
}

function stepLines(steps: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...steps.map(([command]) => command.length))
  return steps.map(
    ([command, meaning], i) => `${i + 1}. ${pc.cyan(command)}${' '.repeat(width - command.length)}  ${pc.dim(meaning)}`,
  )
}
