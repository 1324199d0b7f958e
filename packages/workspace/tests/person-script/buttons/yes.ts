import { button } from '@botwright/framework'

export default button({ run: (ctx) => ctx.update(`${ctx.user.name} takes tea.`) })
