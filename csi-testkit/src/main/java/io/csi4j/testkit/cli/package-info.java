/**
 * The fake plugin as a program; {@code --help} lists its options.
 *
 * <p>{@link io.csi4j.testkit.cli.FakePluginMain} is its entry point.
 */
@NullMarked
package io.csi4j.testkit.cli;

import org.jspecify.annotations.NullMarked;
