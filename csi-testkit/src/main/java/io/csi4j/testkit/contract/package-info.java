/**
 * The contracts of the engine's ports as JUnit tests, for hosts with a log or an RPC of their own. A test class implements the interface of a
 * contract, and inherits its tests. Needs JUnit and AssertJ on the class path.
 *
 * <pre>{@code
 * class LocalCommandLogContractTest implements CommandLogContract {
 *     @Override
 *     public CommandLog open() {
 *         return new LocalCommandLog(StateStore.inMemory());
 *     }
 *
 *     @Override
 *     public void close(CommandLog log) {
 *         ((StateStore) log.state()).close();
 *     }
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.testkit.contract;

import org.jspecify.annotations.NullMarked;
