/**
 * A read-only page for operators, with the health of the server. Begin with {@link io.csi4j.console.Console}.
 *
 * <pre>{@code
 * ConsoleHistory history = ConsoleHistory.create();
 * VolumeLifecycle lifecycle = VolumeLifecycle.builder()
 *         .log(log)
 *         .gateway(gateway)
 *         .listener(history)
 *         .build();
 * try (Console console = Console.builder(lifecycle).history(history).start()) {
 *     System.out.println("Open " + console.uri());
 *     serve();
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.console;

import org.jspecify.annotations.NullMarked;
