import type { CommandModule } from '@botwright/framework/start'

export const configure: CommandModule['configure'] = (command, done) => {
  command.option('--json', 'print the result as JSON', false).action(async ({ json }: { json: boolean }) => {
    const { runRoutes } = await import('../routes-command.ts')
    done(await runRoutes({ folder: process.cwd(), json }))
  })
}
