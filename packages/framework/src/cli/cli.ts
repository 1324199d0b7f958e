// The program `framework`.

import { printable } from '@botwright/protocol/facts'
import { filterOutput } from '../link/redaction.ts'
import { runProgram } from './cli-program.ts'
import { describeCrash } from './crash.ts'
import { exitCodeOf } from './exit-codes.ts'
import { endWithRunner } from './shutdown.ts'

// The one place that all output passes, `console.log` of the bot's code included: only the log writes by itself, and escapes by itself.
filterOutput(printable)

function crash(error: unknown): never {
  process.stderr.write(describeCrash(error, process.env))
  process.exit(exitCodeOf(error))
}

// Errors outside of any promise, such as one thrown by a timer; Node would print them with secrets.
process.on('uncaughtException', crash)
endWithRunner()
runProgram(process.argv.slice(2)).then((code) => process.exit(code), crash)
