// Event webhooks and pages of events without a server, a journal and a database, for programs that another one starts for each request.
export { laneKey } from './lib/bot-event.ts'
export { eventAnswer } from './lib/event-answer.ts'
export {
  answerFetch,
  BodyAlreadyRead,
  type HttpAnswer,
  type HttpRequest,
  type HttpResponse,
  requestOf,
  sendResponse,
} from './lib/http-exchange.ts'
export type { Report } from './lib/report.ts'
export { readPage } from './lib/page.ts'
export { SignedEvents } from './lib/signed-events.ts'
