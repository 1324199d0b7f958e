import { button, row } from '@botwright/framework'
import clicks from '../state/clicks.ts'

/** A click arrives in an invocation of its own, so what it needs is in the button or in the store. */
const again = button({
  run: async (ctx) => {
    const count = await clicks.of(ctx).update((before) => before + 1)
    await ctx.update({
      content: `Pong × ${count}`,
      components: [row(again.button({ label: 'Again', style: 'primary' }))],
    })
  },
})

export default again
