import { latestPrice } from '../lib/prices.ts'

export default () => `The price is ${latestPrice()}.`
