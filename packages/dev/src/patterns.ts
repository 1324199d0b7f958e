export { analyse, isUnbounded, type Question, type SlowPattern, type Verdict } from './lib/patterns/analyse.ts'
