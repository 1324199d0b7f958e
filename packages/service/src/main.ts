import { readArguments, runService } from './lib/program.ts'

try {
  await runService(readArguments(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
