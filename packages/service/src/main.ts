import { logFailure } from './lib/log-failure.ts'
import { readArguments, runService } from './lib/start/program.ts'

try {
  await runService(readArguments(process.argv.slice(2)))
} catch (error) {
  logFailure(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
