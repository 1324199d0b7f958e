import { command, row, serverOnly } from '@botwright/framework'
import role from '../buttons/role.ts'
import { freeRoles } from '../lib/roles.ts'

export default command({
  description: 'Shows the roles that you can choose',
  guards: [serverOnly()],
  run: async (ctx) => {
    const roles = await freeRoles(ctx, ctx.server_id)
    if (roles.length === 0) return 'This server has no roles to choose from.'
    const buttons = roles.slice(0, 5).map(({ id, name }) => role.button({ role: id }, { label: name }))
    return { content: 'Which roles do you want? Click again to remove one.', components: [row(...buttons)] }
  },
})
