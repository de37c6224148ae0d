import { utxoLimits } from 'mempool-core';
import { openNode } from 'mempool-node';
import { Chain } from './chain.ts';
import { Node } from './node.ts';
import { decodePayment, type Payment, spendingOf } from './payment.ts';
import { judge } from './spending.ts';

/** Plays a story of made-up payments that conflict with and depend on each other. */
export async function tellStory(): Promise<void> {
  const chain = new Chain(['old#0', 'old#1', 'old#2', 'old#3', 'old#4']);
  const config = { backend: 'ephemeral', ordering: 'priority', ...utxoLimits, maxTxs: 7 } as const;
  await using opened = await openNode(config, {
    validate: (transaction) =>
      judge(transaction, spendingOf(decodePayment(transaction.payload)), (outpoint) => chain.stateOf(outpoint)),
    height: () => chain.tip?.slot ?? 0,
  });
  const node = new Node(opened.pool, chain);
  console.log('A chain with five outputs, of which the first block spends none:');
  await node.apply([]);
  const best = await spendTwice(node);
  await spendTheUnconfirmed(node);
  await fill(node);
  await meetForeignBlock(node, best);
}

async function spendTwice(node: Node): Promise<Payment> {
  console.log('Of two that spend one output, one can be in the pool; a tenth more replaces:');
  const first = payment('ant', ['old#0'], 100);
  await node.submit(first);
  await node.submit(payment('bee', ['old#0'], 109));
  const better = payment('bee', ['old#0'], 110);
  await node.submit(better);
  await node.tellEnd(first);
  return better;
}

async function spendTheUnconfirmed(node: Node): Promise<void> {
  console.log('A payment that spends a new output waits for it, and comes after its maker at any price:');
  await node.submit(payment('cat', ['dog#1'], 900));
  await node.tellOrder();
  await node.submit(payment('dog', ['bee#0'], 105));
  await node.submit(payment('elk', ['fox#0'], 300));
  await node.tellOrder();
}

async function fill(node: Node): Promise<void> {
  console.log('A full pool refuses, and cuts no chain; a replacement needs no room:');
  await node.submit(payment('gnu', ['old#1'], 120));
  await node.submit(payment('hen', ['old#2'], 80));
  await node.submit(payment('ibis', ['hen#0'], 85));
  await node.submit(payment('jay', ['old#3'], 5_000));
  await node.submit(payment('koi', ['old#1'], 140));
  await node.tellOrder();
}

async function meetForeignBlock(node: Node, best: Payment): Promise<void> {
  console.log('A block carries one of ours, and one that the pool never had, which spends an input of ours:');
  const ours = payment('hen', ['old#2'], 80);
  await node.apply([best, payment('fox', ['old#2'], 10)]);
  await node.tellEnd(best);
  await node.tellEnd(ours);
  await node.tellOrder();
  await node.submit(payment('lynx', ['old#2'], 400));

  console.log('The block is undone: its transactions are back, and its spent and new outputs are undone:');
  await node.undo();
  await node.tellOrder();
  await node.submit(ours);
  await node.tellOrder();
}

function payment(name: string, spends: readonly string[], fee: number): Payment {
  return { name, spends, makes: 2, fee };
}
