// The package has no `exports`, so its name alone is its CommonJS form, whose types are not those of Connect's.
export { submit, submitConnect } from '@utxorpc/spec/lib/index.mjs';
