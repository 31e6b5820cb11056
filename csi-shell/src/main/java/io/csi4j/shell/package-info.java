/**
 * The shell for operators of every host that serves the API of csi-admin. {@link io.csi4j.shell.Csi} is the program; it makes
 * its commands from the description of the API.
 *
 * <pre>{@code
 * System.exit(Csi.builder().command("job", new JobList()).build().run(arguments));
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.shell;

import org.jspecify.annotations.NullMarked;
