import { button, text } from '@botwright/framework'
import cups from '../state/cups.ts'

export default button({
  params: { tea: text({ max: 20 }) },
  run: async (ctx) => {
    const count = await cups.of(ctx).update((before) => before + 1)
    return `${ctx.user.name} takes ${ctx.params.tea} tea: cup ${count}.`
  },
})
