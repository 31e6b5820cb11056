/**
 * The fake plugin as a program; {@code --help} lists its options.
 *
 * <p>{@link io.csi4j.testkit.cli.FakePluginMain} is its entry point.
 *
 * <pre>{@code
 * FakePluginMain.main(new String[] {"--endpoint", "unix:///tmp/csi.sock", "--state-dir", "/tmp/volumes"});
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.testkit.cli;

import org.jspecify.annotations.NullMarked;
