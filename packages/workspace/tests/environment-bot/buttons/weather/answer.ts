import { boolean, button } from '@botwright/framework'

export default button({
  params: { rain: boolean() },
  run: (ctx) => ctx.update({ content: ctx.params.rain ? 'It rains.' : 'It is dry.', components: [] }),
})
