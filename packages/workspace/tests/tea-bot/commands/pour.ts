import { command } from '@botwright/framework'
import pot from '../state/pot.ts'

export default command({
  description: 'Pours a cup from the pot on the table',
  run: (ctx) =>
    pot.of(ctx).updateWith((kept) => {
      if (!kept || kept.cups === 0) return { result: 'The pot is empty: try /tea.' }
      return { value: { ...kept, cups: kept.cups - 1 }, result: `A cup of ${kept.tea} tea; ${kept.cups - 1} are left.` }
    }),
})
