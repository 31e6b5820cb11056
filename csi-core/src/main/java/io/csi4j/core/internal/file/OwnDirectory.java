package io.csi4j.core.internal.file;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Directories whose files nobody but the user of this process can change. A file system without owners, such as one in memory, belongs
 * to the process that has it.
 */
public final class OwnDirectory {
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<Set<PosixFilePermission>> AT_CREATION =
            PosixFilePermissions.asFileAttribute(PRIVATE);

    private OwnDirectory() {}

    /**
     * Creates a directory that is accessible to the user of this process only, or checks an existing one.
     *
     * @throws IOException if the directory belongs to another user, or others can write to it
     */
    public static void make(Path directory) throws IOException {
        if (Files.notExists(directory)) {
            Files.createDirectories(directory, AT_CREATION);
            if (hasOwners(directory)) {
                // Again, because the umask of the process may have taken permissions away.
                Files.setPosixFilePermissions(directory, PRIVATE);
            }
        }
        if (!hasOwners(directory)) {
            return;
        }
        mustBeOwn(directory);
        Set<PosixFilePermission> present = Files.getPosixFilePermissions(directory);
        if (present.contains(PosixFilePermission.GROUP_WRITE) || present.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException("The directory " + directory + " has the permissions "
                    + PosixFilePermissions.toString(present)
                    + ", so others could replace the files in it; make it rwx------ (chmod 700)");
        }
    }

    /**
     * Creates a directory in another one, or takes over an existing one, and makes it accessible to the user of this
     * process only. Leaves a directory that is private already as it is, with its time of change.
     *
     * @param parent a directory that {@link #make} has checked
     * @throws IOException if the directory belongs to another user
     */
    public static void makeIn(Path parent, Path directory) throws IOException {
        Files.createDirectories(directory, AT_CREATION);
        if (!Files.getOwner(directory).equals(Files.getOwner(parent))) {
            throw foreign(directory);
        }
        if (!Files.getPosixFilePermissions(directory).equals(PRIVATE)) {
            Files.setPosixFilePermissions(directory, PRIVATE);
        }
    }

    /**
     * Makes a directory, if it exists, accessible to the user of this process only. Leaves a link as it is.
     *
     * @throws IOException if the directory belongs to another user
     */
    public static void takeOver(Path directory) throws IOException {
        if (hasOwners(directory) && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            mustBeOwn(directory);
            if (!Files.getPosixFilePermissions(directory).equals(PRIVATE)) {
                Files.setPosixFilePermissions(directory, PRIVATE);
            }
        }
    }

    /**
     * Checks that the directory belongs to the user of this process.
     *
     * @throws IOException if it belongs to another user
     */
    public static void mustBeOwn(Path directory) throws IOException {
        if (!own(directory)) {
            throw foreign(directory);
        }
    }

    private static boolean hasOwners(Path directory) {
        return directory.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    private static IOException foreign(Path directory) throws IOException {
        return new IOException(
                "The directory " + directory + " belongs to the user " + Files.getOwner(directory)
                        + ", and not to the user of this process (" + System.getProperty("user.name")
                        + "), so its owner could replace the files in it; give it to this user (chown), or use another directory");
    }

    /** The kernel permits a change of permissions to the owner and to root only, and root is recognised by its name. */
    private static boolean own(Path directory) throws IOException {
        try {
            Files.setPosixFilePermissions(directory, Files.getPosixFilePermissions(directory));
        } catch (FileSystemException refused) {
            return false;
        }
        boolean root = "root".equals(System.getProperty("user.name"));
        return !root || Integer.valueOf(0).equals(Files.getAttribute(directory, "unix:uid"));
    }
}
