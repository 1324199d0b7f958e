import { button } from '@botwright/framework'

export default button({ run: () => undefined })
