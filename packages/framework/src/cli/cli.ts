// The program `framework`.

import { printable } from '@botwright/protocol/facts'
import { filterOutput } from '../link/redaction.ts'
import { runProgram } from './cli-program.ts'
import { describeCrash } from './crash.ts'
import { exitCodeOf } from './exit-codes.ts'
import { endWithRunner } from './shutdown.ts'

// All output passes here, including `console.log` of the bot's code. Only the log writes directly, and escapes its lines itself.
filterOutput(printable)

function crash(error: unknown): never {
  process.stderr.write(describeCrash(error, process.env))
  process.exit(exitCodeOf(error))
}

// Errors outside promises, such as in a timer. Node would print them with secrets.
process.on('uncaughtException', crash)
endWithRunner()
runProgram(process.argv.slice(2)).then((code) => process.exit(code), crash)
