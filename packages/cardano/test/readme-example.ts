import { readTransaction, transactionHash } from 'mempool-cardano';

const input = `8258203b40265111d8bb3c3c608d95b3a0bf83461ace32d79336579a1939b3aad1c0b7${'00'}`;
const output = `82581d61${'337b62cfff6403a06a3acbc34f8c46003c69fe79a3628cefa9c47251'}1a002dc6c0`;
const transaction = Buffer.from(`84a30081${input}0181${output}021a00029810a0f5f6`, 'hex');

console.log(transactionHash(transaction));
const { inputs, outputs, fee } = readTransaction(transaction);
console.log(`spends ${inputs[0]?.hash}#${inputs[0]?.index}, fee ${fee}`);
console.log(`pays ${outputs[0]?.lovelace} to ${outputs[0]?.address}`);
