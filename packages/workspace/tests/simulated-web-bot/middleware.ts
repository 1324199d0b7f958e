export { default } from '../simulated-bot/middleware.ts'
