import { BotwrightError, printable } from '@botwright/protocol/facts'
import { filterOutput } from '../link/redaction.ts'
import { runProgram } from './cli-program.ts'
import { describeCrash } from './crash.ts'
import { exitCodeOf } from '../program/exit-codes.ts'
import { processIo } from '../program/program-io.ts'
import { endWithRunner } from './shutdown.ts'

const io = processIo()

// All output passes here, including `console.log` of the bot's code. Only the log writes directly, and escapes its lines itself.
filterOutput(io, printable)

function crash(error: unknown): never {
  io.stderr.write(describeCrash(error, io.env))
  process.exit(exitCodeOf(error))
}

// Errors outside promises, such as in a timer. Node would print them with secrets.
process.on('uncaughtException', crash)
// Node would end with 0 while the command waits for a promise that nothing can resolve.
process.on('beforeExit', () =>
  crash(new BotwrightError('ERR_CONFIG', "the bot's code awaits a promise that never settles")),
)
// A closed pipe is not an error. `framework routes | head -1` ends; a command that handles signals decides for itself, and a bot goes on.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (process.listenerCount('SIGTERM') === 0) process.exit(0)
  })
endWithRunner(io.env)
runProgram(process.argv.slice(2), io).then((code) => process.exit(code), crash)
