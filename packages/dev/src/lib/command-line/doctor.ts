import type { CommandModule } from '@botwright/framework/start'

export const configure: CommandModule['configure'] = (command, done) => {
  command.option('--json', 'print the result as JSON', false).action(async ({ json }: { json: boolean }) => {
    const { runDoctor } = await import('../doctor-command.ts')
    done(await runDoctor({ folder: process.cwd(), json }))
  })
}
