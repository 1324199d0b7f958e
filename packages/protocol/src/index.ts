export * from './facts.ts'
export { ActionRow, Button, Components } from './lib/schemas/components.ts'
export { ChannelWebhookEmbed, Embed, embedCharacters, embedPictures, Embeds } from './lib/schemas/embed.ts'
export { endpoint } from './lib/endpoint.ts'
export type {
  AnswerOf,
  CallsOf,
  Endpoint,
  EndpointTable,
  InputOf,
  OutputOf,
  PathNames,
  RequestOf,
} from './lib/endpoint.ts'
export { channelWebhookEndpoints, endpoints, endpointsByName } from './lib/endpoints.ts'
export type { EndpointName, EndpointOf, Endpoints } from './lib/endpoints.ts'
export { imageTypes } from './lib/endpoints/bot.ts'
export { ErrorBody, WebhookErrorBody } from './lib/error-bodies.ts'
export type { ErrorCode, ErrorStatus, WebhookErrorCode } from './lib/errors.ts'
export type { EventType } from './lib/schemas/event-facts.ts'
export { explain } from './lib/explain.ts'
export { eventData, EventPage, PolledEvent, WebhookEvent } from './lib/schemas/events.ts'
export type { EventData } from './lib/schemas/events.ts'
export {
  cutText,
  DisplayName,
  Emoji,
  HttpsLink,
  Id,
  Link,
  Name,
  filledText,
  nameText,
  QueryInteger,
  Reason,
  text,
  Time,
  visibleName,
} from './lib/schemas/fields.ts'
export type { RateLimit, RateLimitName } from './lib/limits.ts'
export { Callback, ChannelWebhookPost, MessageCreate, MessageEdit } from './lib/schemas/messages.ts'
export * from './lib/schemas/resources.ts'
export type { Auth, Method, Upload } from './lib/route.ts'
export { requestRoutesOf } from './lib/routes-of.ts'
