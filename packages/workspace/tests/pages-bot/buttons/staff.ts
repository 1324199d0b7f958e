import { cooldown, pages, serverOnly } from '@botwright/framework'

export default pages({
  size: 1,
  guards: [serverOnly(), cooldown('1m', { uses: 2 })],
  load: (ctx, page) => ({ title: ctx.server_id ?? 'no server', lines: [`line ${page.number}`], total: 3 }),
})
