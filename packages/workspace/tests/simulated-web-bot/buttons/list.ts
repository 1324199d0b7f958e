import { pages, text } from '@botwright/framework'

export default pages({
  size: 2,
  params: { text: text({ max: 20 }) },
  load: (_, page) => ({ content: `list ${page.params.text} page ${page.number}`, total: 7 }),
})
